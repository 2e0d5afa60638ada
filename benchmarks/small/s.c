// S: the first thread writes x = 2 and then y, the second reads y and then writes x = 1. If it reads the first one's y,
// its write of x comes after x = 2 in coherence, since the accesses are release and acquire.
//
// row: Tracer Fig. 3 | | --model ra --equivalence co | verdict verified
// row: Tracer Fig. 3 | | --model ra --algorithm tracer | verdict verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a;

static void *thread_1(void *unused) {
    atomic_store_explicit(&x, 2, memory_order_release);
    atomic_store_explicit(&y, 1, memory_order_release);
    return unused;
}

static void *thread_2(void *unused) {
    a = atomic_load_explicit(&y, memory_order_acquire);
    atomic_store_explicit(&x, 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, thread_1, NULL);
    pthread_create(&threads[1], NULL, thread_2, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(a == 0 || atomic_load(&x) == 1);
    return 0;
}
