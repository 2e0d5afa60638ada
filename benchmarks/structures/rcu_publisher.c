// Read-copy-update in user space: readers mark when they are reading, the updater publishes a new version, waits
// until every reader that may still use the old one has stopped, and frees it.
//
// BUG=1: a reader's mark is not ordered before its read of the pointer, and the updater may miss it.
// BUG=2: the new version is published by a relaxed store.
// BUG=3: the updater does not wait.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation use-after-free 75
// check: -DBUG=1 tso rf violation use-after-free 75
// check: -DBUG=1 sc rf verified
// check: -DBUG=2 rc11 rf violation race 60
// check: -DBUG=3 sc rf violation use-after-free 75
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#define READERS 2

struct route {
    int gateway, metric;
};

static _Atomic(struct route *) route;
static atomic_int reading[READERS];

static void rcu_read_lock(int reader) {
    atomic_store_explicit(&reading[reader], 1, memory_order_relaxed);
#if BUG != 1
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void rcu_read_unlock(int reader) { atomic_store_explicit(&reading[reader], 0, memory_order_release); }

static inline void synchronize_rcu(void) {
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < READERS; i++)
        while (atomic_load_explicit(&reading[i], memory_order_acquire) != 0)
            sched_yield();
}

static struct route *new_route(int gateway, int metric) {
    struct route *made = malloc(sizeof *made);
    *made = (struct route){.gateway = gateway, .metric = metric};
    return made;
}

static void *reader(void *argument) {
    int me = *(int *)argument;
    rcu_read_lock(me);
    struct route *seen = atomic_load_explicit(&route, memory_order_acquire);
    assert(seen->metric == seen->gateway * 10);
    rcu_read_unlock(me);
    return NULL;
}

static void *updater(void *unused) {
    struct route *old = atomic_load_explicit(&route, memory_order_relaxed);
#if BUG == 2
    atomic_store_explicit(&route, new_route(2, 20), memory_order_relaxed);
#else
    atomic_store_explicit(&route, new_route(2, 20), memory_order_release);
#endif
#if BUG != 3
    synchronize_rcu();
#endif
    free(old);
    return unused;
}

int main(void) {
    atomic_init(&route, new_route(1, 10));
    pthread_t threads[READERS + 1];
    int ids[READERS];
    for (int i = 0; i < READERS; i++) {
        ids[i] = i;
        pthread_create(&threads[i], NULL, reader, &ids[i]);
    }
    pthread_create(&threads[READERS], NULL, updater, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    free(atomic_load(&route));
    return 0;
}
