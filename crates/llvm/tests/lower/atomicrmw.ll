@x = global i32 0
define i32 @main() {
  %1 = atomicrmw xchg ptr @x, i32 1 monotonic
  %2 = atomicrmw add ptr @x, i32 1 acquire
  %3 = atomicrmw sub ptr @x, i32 1 release
  %4 = atomicrmw and ptr @x, i32 1 acq_rel
  %5 = atomicrmw nand ptr @x, i32 1 seq_cst
  %6 = atomicrmw or ptr @x, i32 1 seq_cst, align 4
  %7 = atomicrmw xor ptr @x, i32 1 syncscope("one-as") seq_cst
  %8 = atomicrmw max ptr @x, i32 1 seq_cst
  %9 = atomicrmw min ptr @x, i32 1 seq_cst
  %10 = atomicrmw umax ptr @x, i32 1 seq_cst
  %11 = atomicrmw volatile umin ptr @x, i32 1 seq_cst
  %12 = atomicrmw uinc_wrap ptr @x, i32 1 seq_cst
  %13 = atomicrmw udec_wrap ptr @x, i32 1 seq_cst
  %14 = atomicrmw usub_cond ptr @x, i32 1 seq_cst
  %15 = atomicrmw usub_sat ptr @x, i32 1 seq_cst
  ret i32 %15
}
