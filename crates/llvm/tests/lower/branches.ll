; Blocks that control cannot get to are left out. A block without a name has the next number.
define i32 @main(i32 %argc, ptr %argv) {
  %c = icmp sgt i32 %argc, 1
  br i1 %c, label %1, label %"the other"
1:
  br label %"the other"
2:
  ret i32 2
"the other":
  unreachable
}
