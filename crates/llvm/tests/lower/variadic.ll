target triple = "x86_64-pc-linux-gnu"
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
define i32 @sum(i32 %n, ...) {
  %list = alloca [24 x i8], align 16
  %other = alloca [24 x i8], align 16
  call void @llvm.va_start.p0(ptr %list)
  call void @llvm.va_copy.p0(ptr %other, ptr %list)
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %n
}
define i32 @main() {
  %r = call i32 (i32, ...) @sum(i32 2, i32 3, double 4.0)
  ret i32 %r
}
