; options: entry f
define i8 @f(i8 %a, i8 %b) {
  %1 = call i8 @llvm.sadd.sat.i8(i8 %a, i8 %b)
  %2 = call i8 @llvm.usub.sat.i8(i8 %1, i8 %b)
  %3 = call i8 @llvm.ushl.sat.i8(i8 %2, i8 1)
  %4 = call i8 @llvm.scmp.i8.i8(i8 %3, i8 %b)
  ret i8 %4
}
declare i8 @llvm.sadd.sat.i8(i8, i8)
declare i8 @llvm.usub.sat.i8(i8, i8)
declare i8 @llvm.ushl.sat.i8(i8, i8)
declare i8 @llvm.scmp.i8.i8(i8, i8)
