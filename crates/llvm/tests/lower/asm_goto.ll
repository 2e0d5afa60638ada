; Assembly that may jump to labels of C is a call if it does not.
target triple = "x86_64-pc-linux-gnu"
define i32 @main() {
  %x = alloca i32
  callbr void asm sideeffect "", "!i,~{memory}"() #0 to label %on [label %away]
on:
  %1 = callbr i32 asm sideeffect "movl $$1, $0", "=r,!i,!i"() to label %2 [label %away, label %further]
2:
  %3 = call i32 @g()
  ret i32 %1
away:
  ret i32 2
further:
  ret i32 3
}
define i32 @g() {
  callbr void asm sideeffect "jmp ${0:l}", "!i"() to label %on [label %away]
on:
  ret i32 1
away:
  ret i32 2
}
