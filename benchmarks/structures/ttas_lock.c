// A test-and-test-and-set spin lock. A waiting thread only reads until the lock looks free, so that the cache line
// stays where it is, and then tries to take it with an exchange.
//
// BUG=1: unlocking is a relaxed store, and the next owner need not see what was written under the lock.
// BUG=2: the lock is taken by a test and a separate store, and two threads can get in.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 59
// check: -DBUG=1 tso rf verified
// check: -DBUG=2 rc11 rf violation race 59
// check: -DBUG=2 sc rf violation assertion 70
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 3
#endif

typedef struct {
    atomic_bool taken;
} spinlock;

static void spin_lock(spinlock *lock) {
    for (;;) {
        while (atomic_load_explicit(&lock->taken, memory_order_relaxed))
            ;
#if BUG == 2
        if (!atomic_load_explicit(&lock->taken, memory_order_acquire)) {
            atomic_store_explicit(&lock->taken, true, memory_order_relaxed);
            return;
        }
#else
        if (!atomic_exchange_explicit(&lock->taken, true, memory_order_acquire))
            return;
#endif
    }
}

static void spin_unlock(spinlock *lock) {
#if BUG == 1
    atomic_store_explicit(&lock->taken, false, memory_order_relaxed);
#else
    atomic_store_explicit(&lock->taken, false, memory_order_release);
#endif
}

static spinlock lock;
static int counter;

static void *worker(void *unused) {
    spin_lock(&lock);
    counter++;
    spin_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
