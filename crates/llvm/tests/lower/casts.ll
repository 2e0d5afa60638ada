define i32 @f(i64 %x, double %d, float %s, ptr %p) {
  %1 = trunc nuw i64 %x to i8
  %2 = zext i8 %1 to i32
  %3 = sext i8 %1 to i64
  %4 = fptrunc double %d to float
  %5 = fpext float %s to double
  %6 = fptoui double %d to i32
  %7 = fptosi float %s to i64
  %8 = uitofp i8 %1 to double
  %9 = sitofp i64 %3 to float
  %10 = ptrtoint ptr %p to i64
  %11 = ptrtoint ptr %p to i32
  %12 = inttoptr i64 %10 to ptr
  %13 = inttoptr i32 %11 to ptr
  %14 = bitcast double %d to i64
  %15 = bitcast float %s to i32
  %16 = addrspacecast ptr %p to ptr
  ret i32 %15
}
define i32 @main() {
  %r = call i32 @f(i64 1, double 2.0, float 3.0, ptr null)
  ret i32 %r
}
