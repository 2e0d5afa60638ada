// Fig. 1a of Tracer: the last write is seen by both threads, or each sees its own.
//
// row: Tracer Fig. 1 | | --model ra --equivalence co | executions 4
// row: Tracer Fig. 1 | | --model ra --equivalence rf | executions 3
// row: Tracer Fig. 1 | | --model ra --algorithm tracer | executions 3
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_acquire); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_release); }

static void *thread_1(void *unused) {
    store(&x, 1);
    load(&x);
    return unused;
}

static void *thread_2(void *unused) {
    store(&x, 2);
    load(&x);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, thread_1, NULL);
    pthread_create(&threads[1], NULL, thread_2, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
