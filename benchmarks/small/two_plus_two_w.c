// 2+2W: each of two threads writes both variables, in opposite orders; the first writes may both be the last.
//
// row: Tracer Fig. 2 | | --model sc --equivalence co | verdict verified
// row: Tracer Fig. 2 | | --model ra --equivalence co | verdict violation
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_release); }

static void *thread_1(void *unused) {
    store(&x, 1);
    store(&y, 2);
    return unused;
}

static void *thread_2(void *unused) {
    store(&y, 1);
    store(&x, 2);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, thread_1, NULL);
    pthread_create(&threads[1], NULL, thread_2, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&x) == 2 || atomic_load(&y) == 2);
    return 0;
}
