define i32 @main() {
  call void asm sideeffect "", "~{memory}"()
  call void asm sideeffect "mfence", "~{memory}"()
  call void asm sideeffect "lfence", "~{memory}"()
  call void asm sideeffect "sfence", "~{memory}"()
  call void asm sideeffect "pause", ""()
  %hidden = call i32 asm "", "=r,0"(i32 5)
  call void asm sideeffect "cli", ""()
  ret i32 %hidden
}
