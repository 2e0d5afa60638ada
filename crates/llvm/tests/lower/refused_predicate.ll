define i32 @main() {
  %c = icmp lt i32 1, 2
  ret i32 0
}
