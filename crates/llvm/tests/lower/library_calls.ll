; Functions of the C library: some are lowered here, most are called.
@s = constant [3 x i8] c"ab\00"
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @memset(ptr, i32, i64)
declare i64 @strlen(ptr)
declare i32 @printf(ptr, ...)
declare double @sqrt(double)
declare float @fmodf(float, float)
declare i64 @lround(double)
declare void @__atomic_load(i64, ptr, ptr, i32)
define i32 @main() {
  %buffer = alloca [24 x i8]
  %1 = call ptr @memcpy(ptr %buffer, ptr @s, i64 3)
  %2 = call ptr @memset(ptr %buffer, i32 0, i64 3)
  %3 = call i64 @strlen(ptr @s)
  %4 = call i32 (ptr, ...) @printf(ptr @s, i32 1, double 2.0)
  %5 = call double @sqrt(double 2.0)
  %6 = call float @fmodf(float 2.0, float 3.0)
  %7 = call i64 @lround(double %5)
  call void @__atomic_load(i64 24, ptr @s, ptr %buffer, i32 2)
  ret i32 0
}
