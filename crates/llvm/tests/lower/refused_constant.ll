@x = global i32 0
define i32 @main() {
  store double fneg (double 1.0), ptr @x
  ret i32 0
}
