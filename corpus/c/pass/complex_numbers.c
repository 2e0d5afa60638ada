// Complex numbers that threads compute: absolute values, angles, products and quotients, in all formats.
// check: rc11 rf verified
// check: -O2 rc11 rf verified
#include <assert.h>
#include <complex.h>
#include <pthread.h>

static double complex wide;
static float complex narrow;

static void *compute(void *unused) {
    wide = (1 + 2 * I) * (1 + 2 * I);
    narrow = 2.0f * I;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, compute, 0);
    pthread_join(thread, 0);
    assert(creal(wide) == -3 && cimag(wide) == 4 && cabs(wide) == 5 && cabsl(wide) == 5);
    assert(cabsf(narrow) == 2 && cargf(narrow) > 1.57f && cargf(narrow) < 1.58f);
    assert(carg(-1) > 3.14 && carg(-1) < 3.15 && cargl(1) == 0);
    wide /= 5;
    assert(cabs(wide) == 1);
}
