// FAIS: two increments.
//
// row: RCMC §2.4 | | --model rc11 --equivalence co | executions 2
// row: RCMC §2.4 | | --model rc11 --algorithm rcmc | executions 2, duplicates 0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *thread_1(void *unused) {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    return unused;
}

static void *thread_2(void *unused) {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
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
