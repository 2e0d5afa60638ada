@x = global i32 0, align 4
define ptr @p(ptr %arg) {
  load i32, ptr @x, align 4
  ret ptr null
}
define i32 @main() {
  %t = alloca i64
  call i32 @pthread_create(ptr %t, ptr null, ptr @p, ptr null)
  store i32 1, ptr @x, align 4
  ret i32 0
}
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
