@real = global i32 1
@other = alias i32, ptr @real
@third = hidden alias i32, ptr @other
@circle = alias i32, ptr @circle
@called = weak alias i32 (), ptr @f
@resolved = ifunc i32 (), ptr @f
define i32 @f() {
  ret i32 1
}
define i32 @main() {
  %a = load i32, ptr @third
  %b = call i32 @called()
  %c = load i32, ptr @circle
  %d = call i32 @resolved()
  ret i32 %b
}
