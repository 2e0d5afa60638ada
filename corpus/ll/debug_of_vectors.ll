; check: rc11 rf verified
; Up to LLVM 18, calls describe variables, whose values may be vectors and arrays.
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.assign(metadata, metadata, metadata, metadata, metadata, metadata)
define i32 @main() {
  %slot = alloca i32, align 4
  call void @llvm.dbg.assign(metadata i1 undef, metadata !3, metadata !DIExpression(), metadata !4, metadata ptr %slot, metadata !DIExpression()), !dbg !5
  call void @llvm.dbg.value(metadata <2 x i32> <i32 1, i32 undef>, metadata !3, metadata !DIExpression()), !dbg !5
  call void @llvm.dbg.value(metadata [2 x i32] [i32 1, i32 2], metadata !3, metadata !DIExpression()), !dbg !5
  ret i32 0
}
!3 = !{}
!4 = distinct !{}
!5 = !{}
