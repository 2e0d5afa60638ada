target triple = "aarch64-unknown-linux-gnu"
@m = internal global [2 x i32] [i32 1, i32 2], align 4
define dso_local noundef i32 @main() local_unnamed_addr {
  %29 = tail call { i32, i32 } asm sideeffect "1: ldaxr ${0:w}, $2\0A eor ${1:w}, ${0:w}, ${3:w}\0A cbnz ${1:w}, 2f\0A stlxr ${1:w}, ${4:w}, $2\0A b.ne ${1:w}, 1b\0A2: dmb ish", "=&r,=&r,=*Q,r,r,*Q,~{memory}"(ptr nonnull elementtype(i32) @m, i32 6, i32 8, ptr nonnull elementtype(i32) @m)
  ret i32 0
}
