define i32 @main() {
  %o = add int 1, 2
  ret i32 0
}
