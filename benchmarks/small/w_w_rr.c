// W+W+RR: two independent writes, one thread that reads both.
//
// row: TruSt §2.1 | | --model sc --equivalence co | executions 4
// row: TruSt §2.1 | | --model sc --algorithm optimal-dpor | executions 4, blocked 0
// row: TruSt §2.1 | | --model rc11 --equivalence co | executions 4
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_acquire); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_release); }

static void *thread_1(void *unused) {
    store(&x, 1);
    return unused;
}

static void *thread_2(void *unused) {
    store(&y, 1);
    return unused;
}

static void *thread_3(void *unused) {
    load(&x);
    load(&y);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, thread_1, NULL);
    pthread_create(&threads[1], NULL, thread_2, NULL);
    pthread_create(&threads[2], NULL, thread_3, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
