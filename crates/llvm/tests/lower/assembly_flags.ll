; options: entry f
; Decrementing leaves the carry flag as it was, and a 16-byte exchange changes the zero flag only.
define i8 @f(ptr %p, i64 %v) {
  %zero = call i8 asm sideeffect "lock; decl $1; sete $0", "=q,=*m,*m,~{memory}"(ptr elementtype(i32) %p, ptr elementtype(i32) %p)
  %carry = call i8 asm sideeffect "lock; decl $1; setc $0", "=q,=*m,*m,~{memory}"(ptr elementtype(i32) %p, ptr elementtype(i32) %p)
  %below = call i8 asm sideeffect "cmpq $2, $1; movq $2, $1; setb $0", "=q,r,r"(i64 %v, i64 7)
  %pair = call i8 asm sideeffect "lock cmpxchg16b $1\0Asetb $0", "=q,=*m,*m,~{memory}"(ptr elementtype(i128) %p, ptr elementtype(i128) %p)
  %odd = call i64 asm sideeffect "testq $1, $1; cmov\C3\A9 $1, $0", "=r,r"(i64 %v)
  ret i8 %zero
}
