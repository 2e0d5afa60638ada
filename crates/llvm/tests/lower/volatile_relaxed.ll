; options: volatile relaxed
; Volatile accesses of a size that machines have are relaxed atomic ones; others stay plain.
@flag = global i32 0
@packed = global i32 0, align 1
@wide = global i128 0
@plain = global i32 0

define i32 @main() {
  store volatile i32 1, ptr @flag, align 4
  %seen = load volatile i32, ptr @flag, align 4
  %again = load atomic volatile i32, ptr @flag acquire, align 4
  store volatile i32 1, ptr @packed, align 1
  store volatile i128 1, ptr @wide, align 16
  store i32 1, ptr @plain, align 4
  ret i32 %seen
}
