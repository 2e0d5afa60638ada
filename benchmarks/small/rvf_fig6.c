// Fig. 6 of RVF-SMC: how many maximal traces are met depends on which read is changed first.
//
// row: RVF-SMC Fig. 6 | | --model sc --algorithm rvf | executions 2
// row: Nidhugg 0.4 | | --model sc --equivalence co | executions 12
// row: Nidhugg 0.4 | | --model sc --equivalence rf | executions 5
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_seq_cst); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_seq_cst); }

static void *thread_1(void *unused) {
    store(&x, 1);
    load(&x);
    store(&y, 1);
    return unused;
}

static void *thread_2(void *unused) {
    store(&x, 1);
    store(&y, 1);
    load(&y);
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
