// A rate limiter: a request costs a token; a timer refills, up to a limit.
//
// BUG=1: the number of tokens is tested and taken in two steps.
// BUG=2: the timer refills by a store that forgets what was taken meanwhile.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 69
// check: -DBUG=2 sc rf violation assertion 70
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#define LIMIT 2

static atomic_int tokens = 1;
static atomic_int n_granted, n_refilled;

static bool request(void) {
    int seen = atomic_load_explicit(&tokens, memory_order_relaxed);
    if (BUG == 1) {
        if (seen == 0)
            return false;
        atomic_fetch_sub_explicit(&tokens, 1, memory_order_relaxed);
        return true;
    }
    while (seen > 0)
        if (atomic_compare_exchange_weak_explicit(&tokens, &seen, seen - 1, memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

static void *client(void *unused) {
    if (request())
        atomic_fetch_add_explicit(&n_granted, 1, memory_order_relaxed);
    return unused;
}

static void *timer(void *unused) {
    int seen = atomic_load_explicit(&tokens, memory_order_relaxed);
    if (BUG == 2) {
        if (seen < LIMIT) {
            atomic_store_explicit(&tokens, seen + 1, memory_order_relaxed);
            n_refilled++;
        }
        return unused;
    }
    while (seen < LIMIT)
        if (atomic_compare_exchange_weak_explicit(&tokens, &seen, seen + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            n_refilled++;
            break;
        }
    return unused;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, client, NULL);
    pthread_create(&threads[3], NULL, timer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(tokens >= 0);
    assert(tokens + n_granted == 1 + n_refilled);
    return 0;
}
