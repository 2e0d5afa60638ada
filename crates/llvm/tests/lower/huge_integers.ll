; Integers of more than 128 bits have a leaf for each 64 bits.
@number = global i136 -4
@large = global [2 x i200] [i200 1234567890123456789012345678901234567890123456789, i200 1]
define i136 @masked(ptr %p, i8 %b) {
  %1 = zext i8 %b to i136
  %2 = load i136, ptr %p, align 1
  %3 = shl i136 %1, 68
  %4 = and i136 %2, -4
  %5 = or i136 %4, %3
  store i136 %5, ptr %p, align 1
  ret i136 %5
}
define i32 @main() {
  %1 = call i136 @masked(ptr @number, i8 1)
  %2 = ashr i136 %1, 65
  %3 = trunc i136 %2 to i3
  %4 = sext i136 %1 to i200
  %5 = zext i136 %1 to i136
  %6 = trunc i200 %4 to i128
  %7 = icmp slt i136 %1, %2
  %8 = add i136 %1, %2
  %9 = mul i136 %8, %2
  %10 = lshr i136 %9, %8
  %11 = bitcast i192 7 to <3 x i64>
  %12 = bitcast <3 x i64> %11 to i192
  %13 = call i136 @llvm.umax.i136(i136 %10, i136 %1)
  switch i136 %13, label %other [ i136 5, label %other ]
other:
  %14 = sitofp i136 %13 to double
  ret i32 0
}
declare i136 @llvm.umax.i136(i136, i136)
