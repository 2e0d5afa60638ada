; check: rc11 rf refused entry_twice.ll:5:1: `%entry` is defined twice
define i32 @main() {
entry:
  br label %entry
entry:
  ret i32 0
}
