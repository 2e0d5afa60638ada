define i32 @main() {
  %x = add i32 1, 1
  %x = add i32 1, 1
  ret i32 0
}
