@handle = global i64 0
@m = global [40 x i8] zeroinitializer
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_mutex_trylock(ptr)
declare void @pthread_exit(ptr)
define ptr @run(ptr %arg) {
  %1 = call i32 @pthread_mutex_lock(ptr @m)
  %2 = call i32 @pthread_mutex_unlock(ptr @m)
  %3 = call i32 @pthread_mutex_trylock(ptr @m)
  call void @pthread_exit(ptr %arg)
  unreachable
}
define i32 @main() {
  %result = alloca ptr
  %1 = call i32 @pthread_create(ptr @handle, ptr null, ptr @run, ptr null)
  %h = load i64, ptr @handle
  %2 = call i32 @pthread_join(i64 %h, ptr %result)
  %3 = call i32 @pthread_join(i64 %h, ptr null)
  ret i32 0
}
