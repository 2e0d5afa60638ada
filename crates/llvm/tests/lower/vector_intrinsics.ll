; options: entry f
define float @f(<2 x i32> %a, <2 x i32> %b, <2 x float> %x) {
  %most = call <2 x i32> @llvm.smax.v2i32(<2 x i32> %a, <2 x i32> %b)
  %ones = call <2 x i32> @llvm.ctpop.v2i32(<2 x i32> %most)
  %positive = call <2 x float> @llvm.fabs.v2f32(<2 x float> %x)
  %largest = call i32 @llvm.vector.reduce.umax.v2i32(<2 x i32> %ones)
  %sum = call float @llvm.vector.reduce.fadd.v2f32(float 0.0, <2 x float> %positive)
  %gathered = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> zeroinitializer, i32 4, <2 x i1> zeroinitializer, <2 x i32> poison)
  ret float %sum
}
declare <2 x i32> @llvm.smax.v2i32(<2 x i32>, <2 x i32>)
declare <2 x i32> @llvm.ctpop.v2i32(<2 x i32>)
declare <2 x float> @llvm.fabs.v2f32(<2 x float>)
declare i32 @llvm.vector.reduce.umax.v2i32(<2 x i32>)
declare float @llvm.vector.reduce.fadd.v2f32(float, <2 x float>)
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i32>)
