// The opposite of the smallest number does not fit.
//
// check: rc11 rf violation overflow 8
#include <limits.h>

int main(void) {
    int smallest = INT_MIN, divisor = -1;
    return smallest % divisor;
}
