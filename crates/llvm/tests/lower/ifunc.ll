; The program calls the function that chooses before everything else.
@f = ifunc i32 (i32, ptr), ptr @choose
@g = internal ifunc void (), ptr @choose
define internal ptr @choose() {
  ret ptr null
}
define i32 @main() {
  %1 = call i32 @f(i32 1, ptr @f)
  call void @g()
  ret i32 %1
}
