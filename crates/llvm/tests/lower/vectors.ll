; options: entry f
@table = global <4 x i16> <i16 1, i16 2, i16 3, i16 4>
@odd = global <3 x i32> <i32 5, i32 6, i32 7>
define i32 @f(<4 x i32> %a, <4 x i32> %b, ptr %p, i64 %n) {
  %sum = add <4 x i32> %a, %b
  %less = icmp slt <4 x i32> %a, splat (i32 10)
  %chosen = select <4 x i1> %less, <4 x i32> %sum, <4 x i32> <i32 1, i32 2, i32 3, i32 4>
  %reversed = shufflevector <4 x i32> %chosen, <4 x i32> %b, <4 x i32> <i32 3, i32 2, i32 1, i32 4>
  %wide = sext <4 x i32> %reversed to <4 x i64>
  store <4 x i64> %wide, ptr %p
  %loaded = load <3 x i32>, ptr %p
  %third = extractelement <3 x i32> %loaded, i64 2
  %any = extractelement <4 x i32> %a, i64 %n
  %changed = insertelement <4 x i32> %a, i32 %third, i64 1
  %changed.at = insertelement <4 x i32> %changed, i32 %any, i64 %n
  %total = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %changed.at)
  ret i32 %total
}
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
