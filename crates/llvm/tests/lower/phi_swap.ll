; All phis of a block take their values at once.
define i32 @main() {
entry:
  br label %loop
loop:
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %n, 1
  %again = icmp ult i32 %next, 3
  br i1 %again, label %loop, label %done
done:
  ret i32 %a
}
