; An optional number as clang 14 makes it with -O1: the struct in memory is one integer, of which the number is not
; written if there is none.
%"class.optional" = type { %"struct.base" }
%"struct.base" = type { i32, i8 }

@ready = global i32 0

define i64 @take() {
  %result = alloca i64, align 8
  %cast = bitcast i64* %result to %"class.optional"*
  %seen = load atomic i32, i32* @ready acquire, align 4
  %none = icmp eq i32 %seen, 0
  br i1 %none, label %empty, label %full
empty:
  call void @make_empty(%"class.optional"* %cast)
  br label %return
full:
  call void @make_full(%"class.optional"* %cast)
  br label %return
return:
  %all = load i64, i64* %result, align 8
  ret i64 %all
}

define void @make_empty(%"class.optional"* %this) {
  %is = getelementptr inbounds %"class.optional", %"class.optional"* %this, i64 0, i32 0, i32 1
  store i8 0, i8* %is, align 4
  ret void
}

define void @make_full(%"class.optional"* %this) {
  %is = getelementptr inbounds %"class.optional", %"class.optional"* %this, i64 0, i32 0, i32 1
  store i8 1, i8* %is, align 4
  %number = getelementptr inbounds %"class.optional", %"class.optional"* %this, i64 0, i32 0, i32 0
  store i32 7, i32* %number, align 4
  ret void
}

define i32 @main() {
  %value = alloca i64, align 8
  %cast = bitcast i64* %value to %"class.optional"*
  %all = call i64 @take()
  store i64 %all, i64* %value, align 8
  %is = getelementptr inbounds %"class.optional", %"class.optional"* %cast, i64 0, i32 0, i32 1
  %has = load i8, i8* %is, align 4
  %some = icmp ne i8 %has, 0
  br i1 %some, label %wrong, label %right
wrong:
  unreachable
right:
  ret i32 0
}
