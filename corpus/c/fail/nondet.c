// check: rc11 rf violation assertion 16
// check: pso co violation assertion 16
// options: --nondet 0..9
//
// Two threads choose; only one pair of choices is wrong.
#include <assert.h>
#include <pthread.h>
int __VERIFIER_nondet_int(void);

static int chosen[2];
static void *choose(void *at) { *(int *)at = __VERIFIER_nondet_int(); return 0; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, choose, &chosen[0]), pthread_create(&b, 0, choose, &chosen[1]);
    pthread_join(a, 0), pthread_join(b, 0), assert(chosen[0] != 7 || chosen[1] != 3);
    return 0;
}
