%inner = type { i16, i32 }
%outer = type { i8, %inner, [2 x i64] }
@o = global %outer zeroinitializer
define %outer @make(%outer %x) {
  %a = insertvalue %outer %x, i16 1, 1, 0
  %b = insertvalue %outer %a, %inner { i16 3, i32 4 }, 1
  %c = insertvalue %outer %b, i64 9, 2, 1
  ret %outer %c
}
define i32 @main() {
  %v = load %outer, ptr @o
  %m = call %outer @make(%outer %v)
  %n = extractvalue %outer %m, 1, 1
  store %outer %m, ptr @o
  ret i32 %n
}
