// The CLH queue lock: each thread spins on the node of its predecessor, and inherits that node when it unlocks,
// since the successor may still be looking at its own.
//
// BUG=1: a thread keeps its own node and uses it again; the successor misses that it was released.
// BUG=2: releasing is a relaxed store.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation non-termination 48
// check: -DBUG=1 sc rf violation non-termination 48
// check: -DBUG=2 rc11 rf violation race 71
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#define THREADS 2
#define ROUNDS 2

struct node {
    atomic_bool busy;
};

struct clh_lock {
    _Atomic(struct node *) tail;
};

struct clh_thread {
    struct node *mine, *before;
};

static void clh_init(struct clh_lock *lock) {
    struct node *free_node = malloc(sizeof *free_node);
    atomic_init(&free_node->busy, false);
    atomic_init(&lock->tail, free_node);
}

static void clh_destroy(struct clh_lock *lock) { free(atomic_load(&lock->tail)); }

static void clh_acquire(struct clh_lock *lock, struct clh_thread *self) {
    atomic_store_explicit(&self->mine->busy, true, memory_order_relaxed);
    self->before = atomic_exchange_explicit(&lock->tail, self->mine, memory_order_acq_rel);
    while (atomic_load_explicit(&self->before->busy, memory_order_acquire))
        ;
}

static void clh_release(struct clh_thread *self) {
    struct node *node = self->mine;
#if BUG != 1
    self->mine = self->before;
#endif
#if BUG == 2
    atomic_store_explicit(&node->busy, false, memory_order_relaxed);
#else
    atomic_store_explicit(&node->busy, false, memory_order_release);
#endif
}

static struct clh_lock lock;
static int counter;

static void *worker(void *unused) {
    struct clh_thread self = {.mine = malloc(sizeof(struct node))};
    for (int i = 0; i < ROUNDS; i++) {
        clh_acquire(&lock, &self);
        counter++;
        clh_release(&self);
    }
#if BUG != 1
    free(self.mine);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    clh_init(&lock);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS * ROUNDS);
    clh_destroy(&lock);
    return 0;
}
