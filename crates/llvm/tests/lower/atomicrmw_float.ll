@x = global float 0.0
@d = global double 0.0
define i32 @main() {
  %1 = atomicrmw fadd ptr @x, float 1.0 seq_cst, align 4
  %2 = atomicrmw fsub ptr @d, double 2.0 monotonic
  %3 = atomicrmw fmax ptr @x, float %1 acquire
  %4 = atomicrmw fmin ptr @x, float %3 release
  %5 = atomicrmw fmaximum ptr @d, double %2 acq_rel
  %6 = atomicrmw fminimum ptr @d, double %5 monotonic
  %7 = atomicrmw xchg ptr @x, float %4 monotonic
  ret i32 0
}
