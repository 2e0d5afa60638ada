define i8 @f(i8 %x, i8 %y) {
  %a = shl nuw i8 %x, 1
  %b = lshr exact i8 %a, %y
  %c = ashr i8 %b, 2
  %d = and i8 %c, 15
  %e = or disjoint i8 %d, -128
  %g = xor i8 %e, -1
  ret i8 %g
}
define i32 @main() {
  %r = call i8 @f(i8 3, i8 1)
  %w = zext nneg i8 %r to i32
  ret i32 %w
}
