@text = private constant [6 x i8] c"x > 0\00"
declare void @__assert_fail(ptr, ptr, i32, ptr)
declare void @abort()
declare void @exit(i32)
declare void @reach_error()
declare void @__VERIFIER_assume(i32)
define i32 @main(i32 %n) {
  call void @__VERIFIER_assume(i32 %n)
  switch i32 %n, label %a [ i32 1, label %b i32 2, label %c i32 3, label %d ]
a:
  call void @__assert_fail(ptr @text, ptr @text, i32 1, ptr @text) noreturn
  unreachable
b:
  call void @abort()
  unreachable
c:
  call void @reach_error()
  unreachable
d:
  call void @exit(i32 0)
  unreachable
}
