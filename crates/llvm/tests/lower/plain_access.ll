; Volatile accesses are plain ones.
@x = global i32 5, align 4
@d = global double 0.0
@p = global ptr null
define i32 @main() {
  %v = load volatile i32, ptr @x, align 4
  store volatile i32 %v, ptr @x, align 4
  store double 2.5, ptr @d
  store ptr @x, ptr @p
  %q = load ptr, ptr @p
  store i8 1, ptr %q
  ret i32 %v
}
