// W+R: one write, one read.
//
// row: RCMC §2.1 | | --model rc11 --equivalence co | executions 2
// row: RCMC §2.1 | | --model rc11 --algorithm rcmc | executions 2, duplicates 0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_relaxed); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_relaxed); }

static void *thread_1(void *unused) {
    store(&x, 1);
    return unused;
}

static void *thread_2(void *unused) {
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
