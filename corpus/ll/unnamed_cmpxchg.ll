; check: rc11 rf verified
@x = global i32 0
define i32 @main() {
  cmpxchg ptr @x, i32 0, i32 1 seq_cst seq_cst
  ret i32 0
}
