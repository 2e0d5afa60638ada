// After `exit`, the system reclaims everything, and variables of `main` still lead to the memory.
//
// check: rc11 rf verified
// options: --leaks
#include <stdlib.h>

int main(void) {
    int *kept = malloc(sizeof *kept);
    *kept = 1;
    exit(*kept - 1);
}
