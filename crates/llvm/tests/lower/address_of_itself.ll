; In code that is never reached, a value may be computed from itself.
define i32 @main() {
  ret i32 0
never:
  %a = getelementptr i32, ptr %a, i64 1
  %b = load i32, ptr %a
  store i32 %b, ptr %a
  br label %never
}
