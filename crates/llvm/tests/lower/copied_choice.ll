; A choice between values that is only stored is copied, too; those that a block chooses are all read before any changes.
define void @f(ptr %one, ptr %two, ptr %to, i1 %c) {
  br i1 %c, label %then, label %else
then:
  %v = load i32, ptr %one
  br label %end
else:
  %w = load i32, ptr %two
  br label %end
end:
  %x = phi i32 [ %v, %then ], [ %w, %else ]
  store i32 %x, ptr %to
  ret void
}
define void @swap(ptr %one, ptr %two, i1 %c) {
entry:
  %v = load i32, ptr %one
  %w = load i32, ptr %two
  br label %loop
loop:
  %a = phi i32 [ %v, %entry ], [ %b, %loop ]
  %b = phi i32 [ %w, %entry ], [ %a, %loop ]
  br i1 %c, label %loop, label %end
end:
  store i32 %a, ptr %one
  store i32 %b, ptr %two
  ret void
}
define void @constant(ptr %one, ptr %to, i1 %c) {
  br i1 %c, label %then, label %end
then:
  %v = load i32, ptr %one
  br label %end
end:
  %x = phi i32 [ %v, %then ], [ 5, %0 ]
  store i32 %x, ptr %to
  ret void
}
define i32 @used(ptr %one, ptr %to, i1 %c) {
  br i1 %c, label %then, label %end
then:
  %v = load i32, ptr %one
  br label %end
end:
  %x = phi i32 [ %v, %then ], [ 5, %0 ]
  store i32 %x, ptr %to
  ret i32 %x
}
define i32 @main() {
  %a = alloca [2 x i32]
  call void @f(ptr %a, ptr %a, ptr %a, i1 1)
  call void @swap(ptr %a, ptr %a, i1 0)
  call void @constant(ptr %a, ptr %a, i1 0)
  %r = call i32 @used(ptr %a, ptr %a, i1 0)
  ret i32 0
}
