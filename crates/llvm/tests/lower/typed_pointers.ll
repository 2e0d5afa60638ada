; Up to clang 14, pointers have types, and constants are cast between them.
%struct.node = type { i32, %struct.node*, i32 (i8*, ...)*, [2 x %struct.node*] }
@x = global i32* null
@n = global %struct.node zeroinitializer
@c = global i8* (i8*, i32 (i8**)*)* null
@f = global void ()* bitcast (i32 ()* @main to void ()*)
define internal i32 @get(%struct.node* noundef %p, i8 addrspace(0)* %q) {
  %next = getelementptr inbounds %struct.node, %struct.node* %p, i32 0, i32 1
  %to = load %struct.node*, %struct.node** %next, align 8
  %bytes = bitcast %struct.node* %to to i8*
  %same = icmp eq i8* %bytes, %q
  %wide = zext i1 %same to i32
  ret i32 %wide
}
define internal i64 @whole() {
  %s = alloca { i8, i32 }
  call void @llvm.dbg.declare(metadata { i8, i32 }* %s, metadata !0, metadata !DIExpression())
  %part = bitcast { i8, i32 }* %s to i8*
  store i8 1, i8* %part, align 4
  br label %end
end:
  %all = bitcast i8* %part to i64*
  %value = load i64, i64* %all, align 4
  ret i64 %value
}
declare void @llvm.dbg.declare(metadata, metadata, metadata)
define i32 @main() {
  %whole = call i64 @whole()
  %1 = call i32 bitcast (i32 (%struct.node*, i8*)* @get to i32 (%struct.node*, i8*)*)(%struct.node* @n, i8* null)
  store i32* getelementptr inbounds (%struct.node, %struct.node* @n, i32 0, i32 0), i32** @x, align 8
  ret i32 %1
}
!llvm.ident = !{!0}
!0 = !{!"clang version 14.0.6"}
