@x = global i32 0
define i32 @main() {
  %1 = load atomic i32, ptr @x unordered, align 4
  %2 = load atomic i32, ptr @x monotonic, align 4
  %3 = load atomic i32, ptr @x acquire, align 4
  %4 = load atomic volatile i32, ptr @x seq_cst, align 4
  store atomic i32 1, ptr @x unordered, align 4
  store atomic i32 1, ptr @x monotonic, align 4
  store atomic i32 1, ptr @x release, align 4
  store atomic i32 1, ptr @x syncscope("agent") seq_cst, align 4
  ret i32 %4
}
