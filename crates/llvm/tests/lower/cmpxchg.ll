@x = global i64 0
define i32 @main() {
  %1 = cmpxchg ptr @x, i64 0, i64 1 monotonic monotonic, align 8
  %2 = cmpxchg weak ptr @x, i64 0, i64 1 acquire monotonic
  %3 = cmpxchg volatile ptr @x, i64 0, i64 1 release acquire
  %4 = cmpxchg weak volatile ptr @x, i64 0, i64 1 acq_rel seq_cst
  %5 = cmpxchg ptr @x, i64 0, i64 1 syncscope("agent") seq_cst seq_cst
  %old = extractvalue { i64, i1 } %5, 0
  %done = extractvalue { i64, i1 } %5, 1
  %r = zext i1 %done to i32
  ret i32 %r
}
