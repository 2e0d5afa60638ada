@x = global float 0.0
define i32 @main() {
  %1 = atomicrmw fadd ptr @x, float 1.0 seq_cst
  ret i32 0
}
