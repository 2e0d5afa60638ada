; Markers do nothing; what is not modelled is named.
@a = global [4 x i8] zeroinitializer
@b = global [4 x i8] zeroinitializer
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.assume(i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.expect.i64(i64, i64)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare i1 @llvm.is.constant.i32(i32)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare double @llvm.fabs.f64(double)
declare double @llvm.fmuladd.f64(double, double, double)
declare i1 @llvm.is.fpclass.f64(double, i32)
declare i64 @llvm.readcyclecounter()
declare void @llvm.trap()
define i32 @main() {
  %x = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %x)
  call void @llvm.assume(i1 true) [ "align"(ptr @a, i64 16) ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @a, ptr align 4 @b, i64 4, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr @a, ptr @b, i64 4, i1 false)
  call void @llvm.memset.p0.i64(ptr @a, i8 7, i64 4, i1 false)
  %e = call i64 @llvm.expect.i64(i64 3, i64 1)
  %o = call i64 @llvm.objectsize.i64.p0(ptr @a, i1 false, i1 true, i1 false)
  %k = call i1 @llvm.is.constant.i32(i32 1)
  %m = call ptr @llvm.ptrmask.p0.i64(ptr @a, i64 -16)
  %f = call double @llvm.fabs.f64(double -1.0)
  %g = call double @llvm.fmuladd.f64(double %f, double 2.0, double 3.0)
  %n = call i1 @llvm.is.fpclass.f64(double %g, i32 3)
  %c = call i64 @llvm.readcyclecounter()
  call void @llvm.trap()
  unreachable
}
