; options: shows_private_barriers
define i32 @main() {
  %seen = alloca i32
  store atomic i32 1, ptr %seen seq_cst, align 4
  ret i32 0
}
