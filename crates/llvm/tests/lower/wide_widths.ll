; Integers of 65 to 127 bits are computed as integers of 128 bits.
@x = global i100 -1
define i65 @half(i64 %a, i64 %b) {
  %1 = zext i64 %a to i65
  %2 = sext i64 %b to i65
  %3 = mul i65 %1, %2
  %4 = sdiv i65 %3, -2
  %5 = ashr i65 %4, 1
  ret i65 %5
}
define i32 @main() {
  %1 = call i65 @half(i64 1, i64 2)
  %2 = icmp slt i65 %1, 0
  %3 = sext i65 %1 to i100
  %4 = trunc i100 %3 to i70
  %5 = zext i70 %4 to i128
  %6 = sitofp i70 %4 to double
  store i100 %3, ptr @x
  %7 = load i100, ptr @x
  %8 = call i100 @llvm.umax.i100(i100 %7, i100 %3)
  ret i32 0
}
declare i100 @llvm.umax.i100(i100, i100)
