; check: rc11 rf verified
declare void @abort()
declare i32 @abs(i32)
define i32 @main() {
  %r = call i32 @abs(i32 1) nounwind
  ret i32 0
}
