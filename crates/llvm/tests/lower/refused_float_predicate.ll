define i32 @main() {
  %c = fcmp lt double 1.0, 2.0
  ret i32 0
}
