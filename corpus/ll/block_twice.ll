; check: rc11 rf refused block_twice.ll:7:1: `%a` is defined twice
define i32 @main() {
entry:
  br label %a
a:
  br label %b
a:
  br label %b
b:
  ret i32 0
}
