define i32 @main() {
  %o = frobnicate i32 1
  ret i32 0
}
