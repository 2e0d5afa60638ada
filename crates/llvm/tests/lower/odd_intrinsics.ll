; options: entry f
; Names that only look like those of intrinsics, and too few arguments.
define i8 @f(i128 %w) {
  %1 = call i8 @"llvm..sat.i8"()
  %2 = call i8 @llvm.xadd.sat.i8()
  %3 = call i8 @"llvm..with.overflow"()
  %4 = call { i128, i1 } @"llvm..with.overflow.i128"(i128 %w, i128 %w)
  %5 = load <18446744073709551615 x i1>, ptr null
  ret i8 %1
}
declare i8 @"llvm..sat.i8"()
declare i8 @llvm.xadd.sat.i8()
declare i8 @"llvm..with.overflow"()
declare { i128, i1 } @"llvm..with.overflow.i128"(i128, i128)
