// An index far outside, but not so far as to reach another object.
//
// check: rc11 rf violation invalid-access 8
#include <stdlib.h>

int main(void) {
    int *numbers = malloc(4 * sizeof *numbers), *others = malloc(4 * sizeof *others);
    numbers[60] = 1;
    free(numbers);
    free(others);
    return 0;
}
