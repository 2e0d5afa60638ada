@x = global i32 0
define i32 @main() {
  %o = atomicrmw mul ptr @x, i32 1 seq_cst
  ret i32 0
}
