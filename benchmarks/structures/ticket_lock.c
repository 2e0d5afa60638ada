// A ticket lock: a thread takes a number and waits until it is served. Fair, first come, first served.
//
// BUG=1: the waiting loop reads the number being served without acquire.
// BUG=2: numbers are drawn by a load and a store, and two threads may draw the same.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 54
// check: -DBUG=2 rc11 rf violation race 54
// check: -DBUG=2 sc rf violation assertion 65
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 3
#endif

typedef struct {
    atomic_uint next;
    atomic_uint serving;
} ticket_lock;

static void lock(ticket_lock *l) {
#if BUG == 2
    unsigned mine = atomic_load_explicit(&l->next, memory_order_relaxed);
    atomic_store_explicit(&l->next, mine + 1, memory_order_relaxed);
#else
    unsigned mine = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
#endif
#if BUG == 1
    while (atomic_load_explicit(&l->serving, memory_order_relaxed) != mine)
        ;
#else
    while (atomic_load_explicit(&l->serving, memory_order_acquire) != mine)
        ;
#endif
}

static void unlock(ticket_lock *l) {
    unsigned mine = atomic_load_explicit(&l->serving, memory_order_relaxed);
    atomic_store_explicit(&l->serving, mine + 1, memory_order_release);
}

static ticket_lock guard;
static int counter;

static void *worker(void *unused) {
    lock(&guard);
    counter++;
    unlock(&guard);
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
