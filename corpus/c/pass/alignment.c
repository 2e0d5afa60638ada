// check: -DAL=64 rc11 rf verified
// check: -DAL=4096 rc11 rf verified
// check: -DAL=65536 sc co verified
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdalign.h>
#ifndef AL
#define AL 64
#endif
struct s { alignas(AL) int a; alignas(AL) int b; };
static struct s g; static struct s garr[3];
static char pad; static struct s g2;
int main(void) {
    pad = 1;
    struct s l; char c = 1; struct s l2; (void)c;
#ifndef NOGLOBAL
    assert((uintptr_t)&g % AL == 0);
    assert((uintptr_t)&garr[1] % AL == 0);
    assert((uintptr_t)&g2 % AL == 0);
#endif
    assert((uintptr_t)&l % AL == 0);
    assert((uintptr_t)&l2 % AL == 0);
    struct s *h = aligned_alloc(AL, sizeof *h);
    assert((uintptr_t)h % AL == 0);
    free(h);
}
