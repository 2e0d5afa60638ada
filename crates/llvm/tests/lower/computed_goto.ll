@targets = constant [2 x ptr] [ptr blockaddress(@main, %a), ptr blockaddress(@main, %b)]
define i32 @main() {
  %to = load ptr, ptr getelementptr (i8, ptr @targets, i64 8)
  indirectbr ptr %to, [label %a, label %b, label %a]
a:
  ret i32 1
b:
  %x = phi i32 [ 2, %0 ]
  ret i32 %x
}
