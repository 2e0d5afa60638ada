; Flags that promise no overflow change nothing.
define i32 @f(i32 %a, i32 %b) {
  %sum = add nsw i32 %a, %b
  %difference = sub nuw nsw i32 %sum, 1
  %product = mul i32 %difference, -3
  ret i32 %product
}
define i32 @main() {
  %r = call i32 @f(i32 1, i32 2)
  ret i32 %r
}
