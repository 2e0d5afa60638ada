// Only what the heap gave can be freed.
//
// check: rc11 rf violation invalid-free 8
#include <stdlib.h>

int main(void) {
    int local = 1;
    free(&local);
    return 0;
}
