// A spin lock that waits longer after each failure, with the processor's pause, and gives way to others now and then.
//
// BUG=1: unlocking is an ordinary store to the flag through a volatile pointer.
// BUG=2: the lock is given up after two failures, but the caller does not look at the answer.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 53
// check: -DBUG=1 tso rf verified
// check: -DBUG=2 sc rf violation assertion 73
// check: -DBUG=2 rc11 rf violation race 62
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#define pause() _mm_pause()
#else
#define pause() ((void)0)
#endif

#ifndef BUG
#define BUG 0
#endif

static atomic_flag held = ATOMIC_FLAG_INIT;
static long total;

static bool lock(void) {
    int failures = 0;
    while (atomic_flag_test_and_set_explicit(&held, memory_order_acquire)) {
        if (BUG == 2 && failures == 1)
            return false;
        for (int i = 0; i < 1 << failures; i++)
            pause();
        if (failures < 3) {
            failures++;
        } else {
            struct timespec a_while = {.tv_nsec = 1000};
            nanosleep(&a_while, NULL);
            sched_yield();
        }
    }
    return true;
}

static void unlock(void) {
#if BUG == 1
    *(volatile char *)&held = 0;
#else
    atomic_flag_clear_explicit(&held, memory_order_release);
#endif
}

static void *worker(void *unused) {
    lock();
    long before = total;
    total = before + 1;
    unlock();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(total == 2);
    return 0;
}
