// Fig. 1 of RVF-SMC: all writes write 1, so that all executions have the same values.
//
// row: RVF-SMC Fig. 1 | | --model sc --equivalence co | executions 98
// row: RVF-SMC Fig. 1 | | --model sc --algorithm optimal-dpor | executions 98, blocked 0
// row: RVF-SMC Fig. 1 | | --model sc --equivalence rf | executions 9
// row: RVF-SMC Fig. 1 | | --model sc --algorithm rvf | executions 1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_seq_cst); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_seq_cst); }

static void *thread_1(void *unused) {
    store(&x, 1);
    store(&y, 1);
    return unused;
}

static void *thread_2(void *unused) {
    store(&x, 1);
    store(&y, 1);
    load(&x);
    return unused;
}

static void *thread_3(void *unused) {
    store(&x, 1);
    store(&y, 1);
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
