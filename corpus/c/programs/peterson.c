// Peterson's lock for two threads, with C11's default order.
//
// BUG=1: the flags and the turn are stored release and loaded acquire.
// BUG=2: the turn is set before the flag.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 51
// check: -DBUG=1 tso rf violation assertion 52
// check: -DBUG=1 sc rf verified
// check: -DBUG=2 sc rf violation assertion 52
// check: -DBUG=2 rc11 rf violation race 51
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#if BUG == 1
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
#endif

struct peterson {
    atomic_int wants[2], turn;
};

static struct peterson lock;
static int inside;

static void enter(struct peterson *it, int me) {
    if (BUG == 2)
        atomic_store_explicit(&it->turn, !me, STORE);
    atomic_store_explicit(&it->wants[me], 1, STORE);
    if (BUG != 2)
        atomic_store_explicit(&it->turn, !me, STORE);
    while (atomic_load_explicit(&it->wants[!me], LOAD) && atomic_load_explicit(&it->turn, LOAD) == !me)
        ;
}

static void leave(struct peterson *it, int me) { atomic_store_explicit(&it->wants[me], 0, memory_order_release); }

static void *worker(void *argument) {
    int me = *(int *)argument;
    enter(&lock, me);
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    leave(&lock, me);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int ids[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
