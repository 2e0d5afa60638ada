// The program gives up.
//
// check: rc11 rf violation abort 7
#include <stdlib.h>

int main(void) {
    abort();
}
