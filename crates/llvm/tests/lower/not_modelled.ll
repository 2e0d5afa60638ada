; Instructions and types that are not modelled are refused when control gets there, not before.
define i32 @f(i32 %n, ...) {
  %1 = extractelement <2 x i32> zeroinitializer, i32 0
  %2 = insertelement <2 x i32> poison, i32 1, i32 0
  %3 = shufflevector <2 x i32> %2, <2 x i32> poison, <2 x i32> zeroinitializer
  %4 = add <2 x i32> %2, %3
  %5 = va_arg ptr null, i32
  %6 = fadd fp128 0xL00000000000000003FFF000000000000, 0xL00000000000000003FFF000000000000
  %7 = alloca x86_fp80
  %8 = load i100000, ptr null
  ret i32 0
}
define i32 @g() {
  indirectbr ptr null, [label %a]
a:
  ret i32 1
}
define i32 @main() {
  %r = call i32 (i32, ...) @f(i32 1)
  %s = call i32 @g()
  ret i32 0
}
