define double @f(double %x, float %y) {
  %wide = fpext float %y to double
  %a = fadd fast double %x, %wide
  %b = fsub nnan double %a, 1.5
  %c = fmul double %b, 0x4000000000000000
  %d = fdiv double %c, 3.0e+00
  %e = frem double %d, 2.0
  %n = fneg double %e
  ret double %n
}
define i32 @main() {
  %r = call double @f(double 1.0, float 0x3FB99999A0000000)
  ret i32 0
}
