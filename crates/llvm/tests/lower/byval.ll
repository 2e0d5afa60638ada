%big = type { [5 x i64] }
@g = global %big zeroinitializer
define void @takes(ptr byval(%big) align 16 %b) {
  store i64 1, ptr %b
  ret void
}
define i32 @main() {
  call void @takes(ptr noundef byval(%big) align 16 @g)
  ret i32 0
}
