; Every file has its own `counter`.
@counter = internal global i32 1
declare i32 @other()
define i32 @main() {
  %a = load i32, ptr @counter
  %b = call i32 @other()
  ret i32 %a
}
