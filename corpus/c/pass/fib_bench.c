// fib_bench(N): two threads add up Fibonacci numbers, a third one checks that they do not get too big.
//
// check: rc11 rf executions 2258
// check: sc rf executions 1698
// check: tso rf executions 2258
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x = 1, y = 1;
static int limit;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_acquire); }

static void *left(void *unused) {
    for (int i = 0; i < N; i++) {
        int a = load(&x), b = load(&y);
        atomic_store_explicit(&x, a + b, memory_order_release);
    }
    return unused;
}

static void *right(void *unused) {
    for (int i = 0; i < N; i++) {
        int a = load(&x), b = load(&y);
        atomic_store_explicit(&y, a + b, memory_order_release);
    }
    return unused;
}

static void *observer(void *unused) {
    if (load(&x) > limit || load(&y) > limit)
        assert(0);
    return unused;
}

int main(void) {
    int before = 1, now = 1;
    for (int i = 0; i < N; i++) {
        before += now;
        now += before;
    }
    limit = now;
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_create(&threads[2], NULL, observer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
