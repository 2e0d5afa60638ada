// Fig. 7 of Tracer: one read with four possible sources.
//
// row: Tracer Fig. 7 | | --model ra --equivalence rf | executions 4
// row: Tracer Fig. 7 | | --model ra --algorithm tracer | executions 4
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_acquire); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_release); }

static void *thread_1(void *unused) {
    load(&x);
    return unused;
}

static void *thread_2(void *unused) {
    store(&x, 2);
    return unused;
}

static void *thread_3(void *unused) {
    load(&y);
    store(&x, 3);
    return unused;
}

static void *thread_4(void *unused) {
    load(&y);
    store(&x, 4);
    return unused;
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, thread_1, NULL);
    pthread_create(&threads[1], NULL, thread_2, NULL);
    pthread_create(&threads[2], NULL, thread_3, NULL);
    pthread_create(&threads[3], NULL, thread_4, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
