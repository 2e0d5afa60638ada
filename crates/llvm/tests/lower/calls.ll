; Results of several parts are left in memory of the caller.
@table = global [1 x ptr] [ptr @twice]
define { i64, i64 } @pair(i64 %x) {
  %a = insertvalue { i64, i64 } poison, i64 %x, 0
  %b = insertvalue { i64, i64 } %a, i64 1, 1
  ret { i64, i64 } %b
}
define internal i32 @twice(i32 noundef %x) #0 {
  %r = shl i32 %x, 1
  ret i32 %r
}
define void @nothing() {
  ret void
}
define i32 @main() {
  tail call void @nothing() #1
  %p = call { i64, i64 } @pair(i64 7)
  %second = extractvalue { i64, i64 } %p, 1
  %f = load ptr, ptr @table
  %r = call noundef i32 %f(i32 noundef 4) nounwind
  %s = musttail call fastcc i32 (i32) @twice(i32 signext %r)
  ret i32 %s
}
attributes #0 = { noinline nounwind }
attributes #1 = { nounwind }
