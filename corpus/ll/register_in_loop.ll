; check: rc11 rf verified
; An optimiser keeps what is at %slot in a register while the loop runs: it loads what was never written, and the loop
; always replaces it.
define i32 @main() #0 {
  br label %before
before:
  %slot = alloca [8 x i8], align 16
  %old = load i64, ptr %slot, align 16
  br label %loop
loop:
  %now = phi i64 [ %old, %before ], [ %next, %loop ]
  %again = phi i1 [ true, %before ], [ false, %loop ]
  %next = phi i64 [ 0, %before ], [ 1, %loop ]
  br i1 %again, label %loop, label %after
after:
  store i64 %now, ptr %slot, align 16
  %is_zero = icmp eq i64 %now, 0
  br i1 %is_zero, label %good, label %bad
bad:
  call void @__VERIFIER_error()
  unreachable
good:
  ret i32 0
}
declare void @__VERIFIER_error()
attributes #0 = { nounwind }
!llvm.ident = !{!0}
!0 = !{!"clang version 19.1.7"}
