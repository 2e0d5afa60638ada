#include <assert.h>
#include <pthread.h>
int c;
void __VERIFIER_atomic_inc(void) { int t = c; c = t + 1; }
static void *p(void *u) { __VERIFIER_atomic_inc(); return u; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, p, 0);
    __VERIFIER_atomic_inc();
    pthread_join(t, 0);
    assert(c == 2);
    return 0;
}
