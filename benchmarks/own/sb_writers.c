// Store buffering with sc accesses, beside W threads that write to a variable that no thread reads: up to rf, the orders
// of their writes do not matter, and three of the four outcomes are sequentially consistent.
//
// row: Own | W=12 | --model rc11 --equivalence rf | executions 3, blocked 0, verdict verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;
static int seen_x, seen_y;

static void *first(void *unused) {
    atomic_store(&x, 1);
    seen_y = atomic_load(&y);
    return unused;
}

static void *second(void *unused) {
    atomic_store(&y, 1);
    seen_x = atomic_load(&x);
    return unused;
}

static void *writer(void *value) {
    atomic_store_explicit(&z, (int)(long)value, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[W + 2];
    pthread_create(&threads[W], NULL, first, NULL);
    pthread_create(&threads[W + 1], NULL, second, NULL);
    for (long i = 0; i < W; i++)
        pthread_create(&threads[i], NULL, writer, (void *)i);
    for (int i = 0; i < W + 2; i++)
        pthread_join(threads[i], NULL);
    assert(seen_x || seen_y);
    return 0;
}
