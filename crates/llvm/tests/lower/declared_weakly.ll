; What is declared weakly and defined nowhere is null.
@v = extern_weak global i32
@table = global [2 x ptr] [ptr @hook, ptr @v]
declare extern_weak void @hook()
define i32 @main() {
  %c = icmp eq ptr @hook, null
  %d = icmp eq ptr @v, null
  %e = load ptr, ptr @table
  call void @hook()
  ret i32 0
}
