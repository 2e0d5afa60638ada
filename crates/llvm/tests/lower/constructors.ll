; Constructors run before main, by priority, destructors after it.
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @late, ptr null }, { i32, ptr, ptr } { i32 101, ptr @early, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @last, ptr null }]
define internal void @late() {
  ret void
}
define internal void @early() {
  ret void
}
define internal void @last() {
  ret void
}
define i32 @main(i32 %argc, ptr %argv) {
  ret i32 0
}
