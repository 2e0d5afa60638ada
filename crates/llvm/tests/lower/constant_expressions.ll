@a = global [4 x i32] zeroinitializer
define i32 @main() {
  store i64 ptrtoint (ptr @a to i64), ptr @a
  store i64 sub (i64 ptrtoint (ptr @a to i64), i64 4), ptr @a
  store ptr inttoptr (i64 4096 to ptr), ptr @a
  store i64 mul (i64 xor (i64 ptrtoint (ptr @a to i64), i64 1), i64 3), ptr @a
  store i32 trunc (i64 ptrtoint (ptr @a to i64) to i32), ptr getelementptr (i32, ptr @a, i64 1)
  %w = zext i1 icmp ne (ptr @a, ptr null) to i32
  %k = load float, ptr bitcast (ptr @a to ptr)
  store i64 shl nuw (i64 ptrtoint (ptr @a to i64), i64 2), ptr @a
  ret i32 0
}
