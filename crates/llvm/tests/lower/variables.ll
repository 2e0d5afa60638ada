; A variable that is only loaded and stored becomes a register; one that may be read too early has a flag beside it.
define i32 @f(i1 %c) {
entry:
  %always = alloca i32
  %maybe = alloca i64
  store i32 1, ptr %always
  br i1 %c, label %then, label %end
then:
  store i64 2, ptr %maybe
  br label %end
end:
  %a = load i32, ptr %always
  %m = load i64, ptr %maybe
  %t = trunc i64 %m to i32
  %r = add i32 %a, %t
  ret i32 %r
}
define i32 @main() {
  %r = call i32 @f(i1 true)
  ret i32 %r
}
