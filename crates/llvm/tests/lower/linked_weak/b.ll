define i32 @f() {
  %g = call i32 @g()
  ret i32 2
}
define linkonce_odr i32 @g() {
  ret i32 4
}
