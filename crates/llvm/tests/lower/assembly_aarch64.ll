; options: entry f
target triple = "aarch64-unknown-linux-gnu"
define i32 @f(ptr %p, i32 %v) {
  %1 = call { i32, i32, i32 } asm sideeffect "1: ldaxr ${0:w}, $3\0A add ${1:w}, ${0:w}, ${4:w}\0A stlxr ${2:w}, ${1:w}, $3\0A cbnz ${2:w}, 1b", "=&r,=&r,=&r,=*Q,r,*Q,~{memory}"(ptr elementtype(i32) %p, i32 %v, ptr elementtype(i32) %p)
  %2 = call { i32, i32 } asm sideeffect "1: ldxr ${0:w}, $2\0A cmp ${0:w}, ${3:w}\0A b.ne 2f\0A stxr ${1:w}, ${4:w}, $2\0A cbnz ${1:w}, 1b\0A2:", "=&r,=&r,=*Q,r,r,*Q,~{cc},~{memory}"(ptr elementtype(i32) %p, i32 %v, i32 9, ptr elementtype(i32) %p)
  %3 = call i64 asm sideeffect "ldaddal $1, $0, [$2]", "=r,r,r,~{memory}"(i64 4, ptr %p)
  %4 = call i64 asm sideeffect "casal $0, $1, [$2]", "=r,r,r,0,~{memory}"(i64 1, ptr %p, i64 2)
  call void asm sideeffect "stlr ${0:w}, [$1]; dmb ish", "r,r,~{memory}"(i32 %v, ptr %p)
  %5 = call i32 asm sideeffect "ldarb ${0:w}, [$1, #3]", "=r,r,~{memory}"(ptr %p)
  call void asm sideeffect "msr daifset, #2", "~{memory}"()
  ret i32 %5
}
