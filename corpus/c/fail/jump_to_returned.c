// The function that called setjmp has returned.
//
// check: rc11 rf violation lock-misuse 15
#include <setjmp.h>

static jmp_buf place;

static int set(void) {
    return setjmp(place);
}

int main(void) {
    set();
    // Undefined.
    longjmp(place, 1);
}
