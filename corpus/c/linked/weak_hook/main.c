// check: rc11 rf verified
// Weak definitions give way to strong ones, whichever file comes first; weak declarations find what there is.
#include <assert.h>

__attribute__((weak)) int chosen(void) { return 1; }
__attribute__((weak)) int kept(void) { return 2; }
__attribute__((weak)) extern int hook(int);
__attribute__((weak)) extern int missing(int);
__attribute__((weak)) extern int counter;
__attribute__((weak)) extern int absent;
__attribute__((weak)) int value = 3;
int impl(void) { return 4; }
__attribute__((weak, alias("impl"))) int named(void);
int (*const table[])(int) = {hook, missing};

int main(void) {
    assert(chosen() == 10 && kept() == 2);
    assert(hook && hook(1) == 2 && table[0] == hook);
    assert(!missing && !table[1]);
    assert(&counter && counter == 5 && !&absent);
    assert(value == 30 && named() == 40);
}
