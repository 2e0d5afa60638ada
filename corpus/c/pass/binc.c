// binc(N): N threads increment two counters, one after the other.
//
// check: rc11 rf executions 36
// check: rc11 co executions 36
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x, y;

static void *worker(void *unused) {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
