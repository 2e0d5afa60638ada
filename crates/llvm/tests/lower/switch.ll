define i32 @f(i8 %x, i128 %wide) {
entry:
  switch i8 %x, label %other [
    i8 0, label %zero
    i8 -1, label %zero
    i8 3, label %three
  ]
zero:
  ret i32 0
three:
  switch i128 %wide, label %other [ i128 18446744073709551616, label %zero ]
other:
  %r = phi i32 [ 1, %entry ], [ 2, %three ]
  ret i32 %r
}
define i32 @main() {
  %r = call i32 @f(i8 1, i128 0)
  ret i32 %r
}
