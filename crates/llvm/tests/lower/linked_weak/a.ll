; A strong definition takes the place of weak ones in all files.
define weak i32 @f() {
  ret i32 1
}
define linkonce_odr i32 @g() {
  ret i32 3
}
define i32 @main() {
  %r = call i32 @f()
  %s = call i32 @g()
  ret i32 %r
}
