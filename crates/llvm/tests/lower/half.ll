; Numbers of 16 bits are computed as `float`, and rounded.
define half @f(half %x, half %y) {
  %sum = fadd half %x, 1.5
  %wide = fpext half %sum to double
  %less = fcmp olt half %x, 0xH4000
  %back = fptrunc double %wide to half
  ret half %back
}
define i32 @main() {
  %r = call half @f(half 0xH3C00, half -2.0)
  ret i32 0
}
