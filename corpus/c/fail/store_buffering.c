// Store buffering: both threads may miss each other's store, but not under sc.
//
// check: tso rf violation assertion 31
// check: rc11 rf violation assertion 31
// check: sc rf executions 3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *left(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_release);
    a = atomic_load_explicit(&y, memory_order_acquire);
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_release);
    b = atomic_load_explicit(&x, memory_order_acquire);
    return unused;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, left, NULL);
    pthread_create(&u, NULL, right, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(a == 1 || b == 1);
    return 0;
}
