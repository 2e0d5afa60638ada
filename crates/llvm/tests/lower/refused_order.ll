@x = global i32 0
define i32 @main() {
  %o = load atomic i32, ptr @x consume, align 4
  ret i32 0
}
