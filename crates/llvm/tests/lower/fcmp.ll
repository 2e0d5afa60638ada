define i1 @f(double %a, float %b) {
  %1 = fcmp false double %a, 1.0
  %2 = fcmp oeq double %a, 1.0
  %3 = fcmp ogt double %a, 1.0
  %4 = fcmp oge double %a, 1.0
  %5 = fcmp olt double %a, 1.0
  %6 = fcmp ole double %a, 1.0
  %7 = fcmp one double %a, 1.0
  %8 = fcmp ord double %a, 1.0
  %9 = fcmp ueq double %a, 1.0
  %10 = fcmp ugt float %b, 1.0
  %11 = fcmp uge float %b, 1.0
  %12 = fcmp ult float %b, 1.0
  %13 = fcmp ule float %b, 1.0
  %14 = fcmp une float %b, 1.0
  %15 = fcmp uno float %b, 1.0
  %16 = fcmp true float %b, 1.0
  ret i1 %16
}
define i32 @main() {
  %r = call i1 @f(double 0.0, float 0.0)
  ret i32 0
}
