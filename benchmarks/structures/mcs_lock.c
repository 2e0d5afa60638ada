// The MCS queue lock: waiting threads form a list, each spins on a flag in its own node, and the owner hands the
// lock to its successor.
//
// BUG=1: the owner that sees no successor resets the tail without noticing that another thread has queued meanwhile; the
//        newcomer waits forever.
// BUG=2: the lock is handed over by a relaxed store.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation non-termination 42
// check: -DBUG=1 sc rf violation non-termination 42
// check: -DBUG=2 rc11 rf violation race 75
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif

struct mcs_node {
    _Atomic(struct mcs_node *) next;
    atomic_bool locked;
};

typedef struct {
    _Atomic(struct mcs_node *) tail;
} mcs_lock;

static void mcs_acquire(mcs_lock *lock, struct mcs_node *me) {
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->locked, true, memory_order_relaxed);
    struct mcs_node *before = atomic_exchange_explicit(&lock->tail, me, memory_order_acq_rel);
    if (before != NULL) {
        atomic_store_explicit(&before->next, me, memory_order_release);
        while (atomic_load_explicit(&me->locked, memory_order_acquire))
            ;
    }
}

static void mcs_release(mcs_lock *lock, struct mcs_node *me) {
    struct mcs_node *after = atomic_load_explicit(&me->next, memory_order_acquire);
    if (after == NULL) {
#if BUG == 1
        atomic_store_explicit(&lock->tail, NULL, memory_order_release);
        return;
#else
        struct mcs_node *expected = me;
        if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while ((after = atomic_load_explicit(&me->next, memory_order_acquire)) == NULL)
            ;
#endif
    }
#if BUG == 2
    atomic_store_explicit(&after->locked, false, memory_order_relaxed);
#else
    atomic_store_explicit(&after->locked, false, memory_order_release);
#endif
}

static mcs_lock lock;
static struct mcs_node nodes[THREADS];
static int counter;

static void *worker(void *node) {
    mcs_acquire(&lock, node);
    counter++;
    mcs_release(&lock, node);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &nodes[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
