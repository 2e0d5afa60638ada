// A driver for a lock: two threads count, and nothing may be lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef UNLOCK
#define UNLOCK memory_order_release
#endif

static atomic_int held;
static int count;

static void lock(void) {
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
        ;
}

static void unlock(void) { atomic_store_explicit(&held, 0, UNLOCK); }

static void *worker(void *unused) {
    lock();
    count++;
    unlock();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2);
}
