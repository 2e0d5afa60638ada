// check: rc11 rf verified
// a struct of 12 bytes passed by value: clang emits `call @llvm.memcpy(...)` without !dbg followed by `#dbg_declare(...)`
#include <assert.h>
struct s { int a, b, c; };
static int sum(struct s x) { return x.a + x.b + x.c; }
int main(void) {
    struct s x = {1, 2, 3};
    assert(sum(x) == 6);
}
