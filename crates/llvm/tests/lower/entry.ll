; options: entry start
define i32 @start() {
  ret i32 4
}
