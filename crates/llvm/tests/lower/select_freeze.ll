define i32 @f(i1 %c, i32 %a) {
  %s = select i1 %c, i32 %a, i32 7
  %v = freeze i32 %s
  %pair = select i1 %c, { i32, i64 } { i32 1, i64 2 }, { i32, i64 } zeroinitializer
  %first = extractvalue { i32, i64 } %pair, 0
  %r = add i32 %v, %first
  ret i32 %r
}
define i32 @main() {
  %r = call i32 @f(i1 true, i32 1)
  ret i32 %r
}
