; options: entry f
define i64 @f(ptr %p, i64 %v) {
  %old = call i64 asm sideeffect "lock; xaddq $0, $1", "=r,=*m,0,*m,~{memory}"(ptr elementtype(i64) %p, i64 %v, ptr elementtype(i64) %p)
  %done = call i8 asm sideeffect "lock cmpxchgl $2, $1\0A\09sete $0", "=q,=*m,r,{ax},*m,~{memory}"(ptr elementtype(i32) %p, i32 7, i32 5, ptr elementtype(i32) %p)
  %flag = call { i32, i64 } asm sideeffect "lock cmpxchgq $3, $1", "={@ccz},=*m,={ax},r,*m,2,~{memory}"(ptr elementtype(i64) %p, i64 %v, ptr elementtype(i64) %p, i64 %old)
  %before = call i8 asm sideeffect "xchgb ${0:b},$1", "=q,=*m,0,*m,~{memory}"(ptr elementtype(i8) %p, i8 1, ptr elementtype(i8) %p)
  call void asm sideeffect "lock; addl $$0,-4(%rsp)", "~{memory},~{cc}"()
  call void asm sideeffect "movl $1,$0", "=*m,ir,~{memory}"(ptr elementtype(i32) %p, i32 3)
  %loaded = call i32 asm sideeffect "movl 4($1), $0", "=r,r"(ptr %p)
  %set = call i32 asm sideeffect "lock; btsq $2,$1\0A\09sbbl $0,$0", "=r,=*m,Ir,*m,~{memory}"(ptr elementtype(i64) %p, i64 %v, ptr elementtype(i64) %p)
  %first = call i64 asm "bsfq $1,$0", "=r,rm"(i64 %v)
  %tied = call i32 asm sideeffect "", "=r,=*m,0,*m"(ptr elementtype(i32) %p, i32 4, ptr elementtype(i32) %p)
  call void asm sideeffect "lock; decl $0; sete $1", "=*m,=*qm,*m,~{memory}"(ptr elementtype(i32) %p, ptr elementtype(i8) %p, ptr elementtype(i32) %p)
  call void asm sideeffect "outb ${0:b}, ${1:w}", "{ax},N{dx}"(i8 0, i16 5)
  ret i64 %old
}
