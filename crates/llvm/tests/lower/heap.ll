declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare void @free(ptr)
define i32 @main(i32 %n) {
  %p = call ptr @malloc(i64 8)
  %size = sext i32 %n to i64
  %q = call ptr @malloc(i64 %size)
  %z = call ptr @calloc(i64 2, i64 4)
  call void @free(ptr %p)
  ret i32 0
}
