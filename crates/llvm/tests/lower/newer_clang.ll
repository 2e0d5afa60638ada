define i32 @main() {
  ret i32 0
}
!llvm.ident = !{!0}
!0 = !{!"Debian clang version 99.1.0 (1)"}
