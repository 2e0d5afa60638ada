define i1 @f(i32 %a, i32 %b, ptr %p) {
  %1 = icmp eq i32 %a, %b
  %2 = icmp ne i32 %a, %b
  %3 = icmp ugt i32 %a, %b
  %4 = icmp uge i32 %a, %b
  %5 = icmp ult i32 %a, %b
  %6 = icmp ule i32 %a, %b
  %7 = icmp sgt i32 %a, %b
  %8 = icmp sge i32 %a, %b
  %9 = icmp samesign slt i32 %a, %b
  %10 = icmp sle i32 %a, %b
  %11 = icmp eq ptr %p, null
  ret i1 %11
}
define i32 @main() {
  %r = call i1 @f(i32 1, i32 2, ptr null)
  ret i32 0
}
