define i128 @f(i128 %a, i128 %b, i64 %n, double %d) {
  %1 = add i128 %a, %b
  %2 = sub i128 %1, 1
  %3 = and i128 %2, %b
  %4 = or i128 %3, %b
  %5 = xor i128 %4, -1
  %6 = mul i128 %5, %b
  %7 = sdiv i128 %6, %b
  %8 = shl i128 %7, 3
  %9 = icmp slt i128 %8, %b
  %10 = icmp ne i128 %8, %b
  %11 = zext i64 %n to i128
  %12 = sext i64 %n to i128
  %13 = trunc i128 %12 to i32
  %14 = fptosi double %d to i128
  %15 = uitofp i128 %14 to double
  ret i128 %14
}
define i32 @main() {
  %r = call i128 @f(i128 1, i128 2, i64 3, double 4.0)
  ret i32 0
}
