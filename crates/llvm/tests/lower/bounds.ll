; An access by an index must stay inside of the variable that its address was computed from.
@table = global [4 x i32] zeroinitializer
define i32 @f(i64 %n) {
  %local = alloca [2 x i16]
  %in = getelementptr [2 x i16], ptr %local, i64 0, i64 %n
  store i16 1, ptr %in
  %at = getelementptr [4 x i32], ptr @table, i64 0, i64 %n
  %v = load i32, ptr %at
  %next = getelementptr i8, ptr %at, i64 4
  store i64 0, ptr %next
  ret i32 %v
}
define i32 @main() {
  %r = call i32 @f(i64 1)
  ret i32 %r
}
