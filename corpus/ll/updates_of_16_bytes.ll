; Updates of 16 bytes as calls, as clang 14 to 16 compile them without -mcx16.
; check: rc11 rf verified
; check: sc co verified
@word = global i128 7, align 16
declare { i64, i64 } @__atomic_fetch_add_16(ptr, i64, i64, i32)
declare { i64, i64 } @__atomic_fetch_nand_16(ptr, i64, i64, i32)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @abort()
define ptr @add(ptr %order) {
  %number = ptrtoint ptr %order to i64
  %some = trunc i64 %number to i32
  %old = call { i64, i64 } @__atomic_fetch_add_16(ptr @word, i64 -1, i64 2, i32 %some)
  ret ptr null
}
define i32 @main() {
  %thread = alloca i64
  %1 = call i32 @pthread_create(ptr %thread, ptr null, ptr @add, ptr null)
  %2 = call ptr @add(ptr inttoptr (i64 5 to ptr))
  %3 = load i64, ptr %thread
  %4 = call i32 @pthread_join(i64 %3, ptr null)
  %old = call { i64, i64 } @__atomic_fetch_nand_16(ptr @word, i64 -1, i64 -1, i32 0)
  %low = extractvalue { i64, i64 } %old, 0
  %high = extractvalue { i64, i64 } %old, 1
  %low_is_right = icmp eq i64 %low, 5
  %high_is_right = icmp eq i64 %high, 6
  %both = and i1 %low_is_right, %high_is_right
  %now = load i128, ptr @word
  %inverse = xor i128 %now, -1
  %lowest = trunc i128 %inverse to i64
  %is_inverse = icmp eq i64 %lowest, 5
  %all = and i1 %both, %is_inverse
  br i1 %all, label %good, label %bad
good:
  ret i32 0
bad:
  call void @abort()
  unreachable
}
