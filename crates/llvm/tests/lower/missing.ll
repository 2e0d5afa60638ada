; An undefined name is reported where it is used.
@nowhere = external global i32
declare void @unknown(i32)
define i32 @main() {
  %x = load i32, ptr @nowhere
  call void @unknown(i32 1)
  ret i32 0
}
