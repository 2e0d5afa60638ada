; A function that calls setjmp asks, where something leaves it, whether it continues behind one of the calls.
@place = global [25 x i64] zeroinitializer
declare i32 @_setjmp(ptr)
declare void @longjmp(ptr, i32)
define void @leaves() {
  call void @longjmp(ptr @place, i32 2)
  unreachable
}
define i32 @main() {
  %n = alloca i32
  store i32 0, ptr %n
  %1 = call i32 @_setjmp(ptr @place)
  %2 = call i32 @_setjmp(ptr @place)
  call void @leaves()
  %3 = load i32, ptr %n
  ret i32 %3
}
