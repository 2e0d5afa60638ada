// What `malloc` returns holds nothing yet.
//
// check: rc11 rf violation uninitialised 10
#include <stdlib.h>

int main(void) {
    int *counts = malloc(2 * sizeof *counts);
    counts[0] = 1;
    int sum = counts[0];
    sum += counts[1];
    free(counts);
    return sum;
}
