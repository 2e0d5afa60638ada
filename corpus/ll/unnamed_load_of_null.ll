; check: rc11 rf violation invalid-access
define i32 @main() {
  load i32, ptr null, align 4
  ret i32 0
}
