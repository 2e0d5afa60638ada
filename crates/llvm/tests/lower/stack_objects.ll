; Whether other threads can see a stack object decides what it becomes.
@shared = global ptr null
define void @reads(ptr %p) {
  %v = load i32, ptr %p
  ret void
}
define void @keeps(ptr %p) {
  store ptr %p, ptr @shared
  ret void
}
define i32 @main() {
  %private = alloca [2 x i32], align 16
  %public = alloca i32, align 4
  store i32 1, ptr %private
  store i32 1, ptr %public
  call void @reads(ptr %private)
  call void @keeps(ptr %public)
  ret i32 0
}
