// SB: store buffering with sequentially consistent accesses; not both threads read 0.
//
// row: RCMC §2.5 | | --model rc11 --equivalence co | executions 3, verdict verified
// row: RCMC §2.5 | | --model rc11 --algorithm rcmc | executions 3, verdict verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_seq_cst); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_seq_cst); }

static int a, b;

static void *thread_1(void *unused) {
    store(&x, 1);
    a = load(&y);
    return unused;
}

static void *thread_2(void *unused) {
    store(&y, 1);
    b = load(&x);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, thread_1, NULL);
    pthread_create(&threads[1], NULL, thread_2, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(a == 1 || b == 1);
    return 0;
}
