; Fixed parts of an offset are added up, indices are computed.
%s = type { i8, i64, [3 x i16] }
%packed = type <{ i8, i64 }>
@a = global [2 x %s] zeroinitializer
@q = global %packed zeroinitializer
define ptr @f(ptr %p, i64 %n, i32 %m) {
  %1 = getelementptr inbounds %s, ptr %p, i32 0, i32 1
  %2 = getelementptr inbounds nuw %s, ptr %p, i64 %n, i32 2, i64 2
  %3 = getelementptr i32, ptr %p, i32 %m
  %4 = getelementptr i8, ptr %p, i64 -1
  %5 = getelementptr inbounds [2 x %s], ptr @a, i64 0, i64 1, i32 2, i64 %n
  %6 = getelementptr %packed, ptr @q, i32 0, i32 1
  %7 = getelementptr { i32, i32 }, ptr %p, i64 %n
  ret ptr %7
}
define i32 @main() {
  %r = call ptr @f(ptr @a, i64 1, i32 -1)
  store i16 1, ptr getelementptr inbounds ([2 x %s], ptr @a, i64 0, i64 1, i32 2, i64 1)
  ret i32 0
}
