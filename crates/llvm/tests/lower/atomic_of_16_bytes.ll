@x = global i128 0, align 16
define i32 @main() {
  %1 = load atomic i128, ptr @x acquire, align 16
  store atomic i128 18446744073709551617, ptr @x release, align 16
  %2 = atomicrmw xchg ptr @x, i128 2 seq_cst
  %3 = cmpxchg ptr @x, i128 0, i128 1 seq_cst seq_cst
  %4 = atomicrmw add ptr @x, i128 2 seq_cst
  ret i32 0
}
