; A value that is only stored again is copied, with what is known about its bytes.
define void @f(ptr %from, ptr %to) {
  %t = alloca i32
  %v = load i32, ptr %from
  store i32 %v, ptr %t
  %w = load i32, ptr %t
  store i32 %w, ptr %to
  ret void
}
define i32 @main() {
  %a = alloca [2 x i32]
  call void @f(ptr %a, ptr %a)
  ret i32 0
}
