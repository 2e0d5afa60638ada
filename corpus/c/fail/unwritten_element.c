// An element of a vector is used that was never written, though others are.
//
// check: rc11 rf violation uninitialised
// check: -DALL rc11 rf violation uninitialised
// check: -DCHOSEN rc11 rf violation uninitialised
#include <assert.h>

typedef int v4 __attribute__((vector_size(16)));

int main(void) {
    v4 u;
    u[0] = 1;
    u[2] = 3;
#if defined ALL
    v4 w = u + u;
    return w[0];
#elif defined CHOSEN
    int i = u[0];
    return u[i];
#else
    v4 w = u;
    return w[3];
#endif
}
