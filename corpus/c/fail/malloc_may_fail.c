// check: rc11 rf violation invalid-access 8
// options: --malloc-may-fail
// The program does not check whether malloc has failed.
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
}
