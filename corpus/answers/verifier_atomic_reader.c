#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
atomic_int x, y;
static void *p(void *u) {
    int a = x, b = y;
    assert(!(a == 1 && b == 0));
    return u;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, p, 0);
    __VERIFIER_atomic_begin(); x = 1; y = 1; __VERIFIER_atomic_end();
    pthread_join(t, 0);
    return 0;
}
