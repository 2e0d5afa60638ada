declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
define i32 @main(i32 %n) {
entry:
  %saved = call ptr @llvm.stacksave.p0()
  %size = zext i32 %n to i64
  %array = alloca i32, i64 %size, align 16
  store i32 1, ptr %array
  call void @llvm.stackrestore.p0(ptr %saved)
  ret i32 0
}
