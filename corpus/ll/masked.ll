; check: rc11 rf verified
; Only some elements of vectors are loaded and stored; the places of the others may not exist.
@numbers = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@small = global [2 x i32] [i32 7, i32 8]
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.expandload.v4i32(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.compressstore.v4i32(<4 x i32>, ptr, <4 x i1>)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare void @__VERIFIER_error()

define void @demand(i1 %holds) {
  br i1 %holds, label %good, label %bad
bad:
  call void @__VERIFIER_error()
  unreachable
good:
  ret void
}

define void @sum_is(<4 x i32> %vector, i32 %expected) {
  %sum = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %vector)
  %holds = icmp eq i32 %sum, %expected
  call void @demand(i1 %holds)
  ret void
}

define i32 @main() {
  %flag = load i32, ptr @numbers
  %one = icmp eq i32 %flag, 1
  %mask = insertelement <4 x i1> <i1 false, i1 true, i1 false, i1 false>, i1 %one, i32 0
  %loaded = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr @small, i32 4, <4 x i1> %mask, <4 x i32> <i32 100, i32 100, i32 100, i32 100>)
  call void @sum_is(<4 x i32> %loaded, i32 215)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> <i32 20, i32 30, i32 0, i32 0>, ptr @small, i32 4, <4 x i1> %mask)
  %places = getelementptr [4 x i32], ptr @numbers, i64 0, <4 x i64> <i64 3, i64 2, i64 1, i64 1000>
  %gathered = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %places, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x i32> zeroinitializer)
  call void @sum_is(<4 x i32> %gathered, i32 7)
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> <i32 5, i32 6, i32 7, i32 8>, <4 x ptr> getelementptr ([4 x i32], ptr @numbers, <4 x i64> zeroinitializer, <4 x i64> <i64 0, i64 3, i64 1, i64 2>), i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)
  %all = load <4 x i32>, ptr @numbers
  call void @sum_is(<4 x i32> %all, i32 21)
  %expanded = call <4 x i32> @llvm.masked.expandload.v4i32(ptr @small, <4 x i1> <i1 false, i1 true, i1 false, i1 true>, <4 x i32> <i32 1, i32 1, i32 1, i32 1>)
  call void @sum_is(<4 x i32> %expanded, i32 52)
  call void @llvm.masked.compressstore.v4i32(<4 x i32> <i32 0, i32 3, i32 0, i32 4>, ptr @small, <4 x i1> <i1 false, i1 true, i1 false, i1 true>)
  %last = load i32, ptr getelementptr (<2 x i32>, ptr @small, i64 0, i64 1)
  %four = icmp eq i32 %last, 4
  call void @demand(i1 %four)
  ret i32 0
}
