// Assembly outside of functions that defines nothing for the program.
//
// check: rc11 rf verified
__asm__(".symver f, f@VERSION_1");
__asm__(".pushsection \".debug_gdb_scripts\", \"MS\",@progbits,1\n.byte 4\n.ascii \"gdb.inlined\\n\"\n.byte 0\n.popsection");

int f(void) {
    return 0;
}

int main(void) {
    return f();
}
