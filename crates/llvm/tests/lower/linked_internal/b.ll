@counter = private global i32 2
define available_externally i32 @main() {
  ret i32 9
}
define i32 @other() {
  %b = load i32, ptr @counter
  ret i32 %b
}
