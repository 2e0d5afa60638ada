// Buffer forwarding: a thread reads what it has written itself, before or after another one writes.
//
// row: Nidhugg Fig. 5 | | --model tso --algorithm source-dpor --mapping raw | executions 3
// row: Nidhugg Fig. 5 | | --model tso --algorithm optimal-dpor --mapping raw | executions 3, blocked 0
// row: Nidhugg Fig. 5 | | --model tso --equivalence co --mapping raw | executions 3
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_relaxed); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_relaxed); }

static void *thread_1(void *unused) {
    store(&x, 1);
    load(&x);
    return unused;
}

static void *thread_2(void *unused) {
    store(&x, 2);
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
