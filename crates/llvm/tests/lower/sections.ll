; A function of this name is one atomic section.
@x = global i32 0
define void @__VERIFIER_atomic_step() {
  store i32 1, ptr @x
  ret void
}
define i32 @main() {
  call void @__VERIFIER_atomic_step()
  ret i32 0
}
