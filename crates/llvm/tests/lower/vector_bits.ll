; options: entry f
define i64 @f(<2 x float> %pair, ptr %p) {
  %bits = bitcast <2 x float> %pair to i64
  %bytes = bitcast i64 %bits to <8 x i8>
  %is.zero = icmp eq <8 x i8> %bytes, zeroinitializer
  %mask = bitcast <8 x i1> %is.zero to i8
  store <8 x i1> %is.zero, ptr %p
  %again = load <8 x i1>, ptr %p
  %halves = bitcast <2 x float> %pair to <4 x i16>
  %wide = bitcast <4 x i32> <i32 1, i32 2, i32 3, i32 4> to i128
  %low = trunc i128 %wide to i64
  ret i64 %low
}
