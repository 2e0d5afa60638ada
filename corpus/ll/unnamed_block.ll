; check: rc11 rf verified
define i32 @main() {
  br label %1
  ret i32 0
}
