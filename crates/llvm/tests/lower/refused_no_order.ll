@x = global i32 0
define i32 @main() {
  fence
  ret i32 0
}
