// check: rc11 rf refused module_asm.c: assembly outside of functions is not modelled
__asm__(".globl foo\nfoo: ret\n");
int main(void){ return 0; }
