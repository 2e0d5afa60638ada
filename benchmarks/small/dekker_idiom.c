// The idiom of Dekker's algorithm: that both threads read 0 takes store buffers.
//
// row: Nidhugg Fig. 1 | | --model sc --algorithm source-dpor | verdict verified
// row: Nidhugg Fig. 1 | | --model tso --algorithm source-dpor --mapping raw | verdict violation
// row: Nidhugg Fig. 1 | | --model pso --algorithm source-dpor --mapping raw | verdict violation
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_relaxed); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_relaxed); }

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
