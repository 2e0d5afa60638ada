define i32 @main() {
  %a = udiv i32 7, 2
  %b = sdiv exact i32 %a, -2
  %c = urem i64 9, 4
  %d = srem i16 -9, 4
  ret i32 %b
}
