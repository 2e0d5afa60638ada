// One element too many, on the heap.
//
// check: rc11 rf violation invalid-access 9
#include <stdlib.h>

int main(void) {
    int *numbers = malloc(4 * sizeof *numbers);
    for (int i = 0; i <= 4; i++)
        numbers[i] = i;
    free(numbers);
    return 0;
}
