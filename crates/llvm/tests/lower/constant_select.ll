@x = global i32 0
define i32 @main() {
  store i32 select (i1 true, i32 1, i32 2), ptr @x
  ret i32 0
}
