// An assertion that fails after a loop with tens of thousands of stores to one variable.
//
// check: rc11 rf violation assertion 23
// check: rc11 co violation assertion 23
// check: -DN=200000 sc rf violation assertion 23
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 30000
#endif

static atomic_int x;
static void *writer(void *unused) {
    for (int i = 0; i < N; i++)
        atomic_store_explicit(&x, i, memory_order_relaxed);
    return unused;
}
int main(void) {
    pthread_t writing;
    pthread_create(&writing, NULL, writer, NULL);
    pthread_join(writing, NULL);
    assert(atomic_load(&x) == 0);
}
