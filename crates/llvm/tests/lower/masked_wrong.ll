; Vectors of different lengths, and elements of the wrong type: each call is refused where it stands, and the code that
; was begun for it is complete.

@small = global [2 x i32] [i32 7, i32 8]

define void @store_other_elements(i1 %one) {
  %mask = insertelement <4 x i1> <i1 false, i1 true, i1 false, i1 false>, i1 %one, i32 0
  call void @llvm.masked.store.v4i32.p0(<4 x i1> <i32 20, i32 30, i32 0, i32 0>, ptr @small, i32 4, <4 x i1> %mask)
  ret void
}

define void @load_shorter(i1 %one) {
  %mask = insertelement <4 x i1> <i1 false, i1 true, i1 false, i1 false>, i1 %one, i32 0
  %loaded = call <2 x i32> @llvm.masked.load.v4i32.p0(ptr @small, i32 4, <4 x i1> %mask, <4 x i32> <i32 1, i32 1, i32 1, i32 1>)
  ret void
}

define void @short_mask(<2 x i1> %mask) {
  call void @llvm.masked.store.v4i32.p0(<4 x i32> <i32 20, i32 30, i32 0, i32 0>, ptr @small, i32 4, <2 x i1> %mask)
  ret void
}

define i32 @main() {
  call void @store_other_elements(i1 true)
  call void @load_shorter(i1 true)
  call void @short_mask(<2 x i1> zeroinitializer)
  ret i32 0
}

declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
