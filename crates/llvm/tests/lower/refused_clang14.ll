@x = global i32* null
!llvm.ident = !{!0}
!0 = !{!"clang version 14.0.6"}
