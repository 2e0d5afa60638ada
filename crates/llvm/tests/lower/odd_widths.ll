; Integers that memory has no access for are moved in pieces.
@bits = global i24 0
define i32 @main() {
  %old = load i24, ptr @bits
  %new = add i24 %old, 1
  store i24 %new, ptr @bits
  %flag = trunc i24 %new to i1
  store i1 %flag, ptr @bits
  ret i32 0
}
