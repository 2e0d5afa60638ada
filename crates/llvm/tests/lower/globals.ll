; Initial values: numbers, texts, structs with gaps, addresses and offsets to them.
%s = type { i8, i32, ptr }
@number = global i32 -1, align 4
@wide = global i128 18446744073709551617
@float = global float 1.5
@text = private unnamed_addr constant [4 x i8] c"a\00\0Ab", align 1
@struct = global %s { i8 1, i32 2, ptr @text }
@array = global [3 x i16] [i16 1, i16 2, i16 3]
@nested = global { [2 x i8], <{ i8, i32 }> } { [2 x i8] zeroinitializer, <{ i8, i32 }> <{ i8 5, i32 6 }> }
@inside = global ptr getelementptr inbounds ([3 x i16], ptr @array, i64 0, i64 2)
@before = global ptr getelementptr (i8, ptr @array, i64 -2)
@number_of = global i64 add (i64 ptrtoint (ptr @array to i64), i64 8)
@function = global ptr @main
@unset = global i64 undef
@empty = common global [100 x i32] zeroinitializer, align 16
@own = thread_local global i32 3
@hidden = internal thread_local(localexec) global i32 0
define i32 @main() {
  store ptr @number, ptr @inside
  store ptr @wide, ptr @before
  store ptr @float, ptr @function
  %1 = load i8, ptr @struct
  %2 = load i8, ptr @nested
  %3 = load i64, ptr @number_of
  %4 = load i64, ptr @unset
  %5 = load i32, ptr @empty
  %6 = load i32, ptr @own
  %7 = load i32, ptr @hidden
  ret i32 0
}
