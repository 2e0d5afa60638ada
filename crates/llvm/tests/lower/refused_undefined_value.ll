define i32 @main() {
  %x = add i32 %nothing, 1
  ret i32 %x
}
