// Only the start of an object can be freed.
//
// check: rc11 rf violation invalid-free 8
#include <stdlib.h>

int main(void) {
    int *numbers = malloc(4 * sizeof *numbers);
    free(numbers + 1);
    return 0;
}
