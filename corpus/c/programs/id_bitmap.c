// Numbers are handed out from a bitmap, one bit each: take the lowest clear bit by a compare-and-swap.
//
// BUG=1: the bit is set by a load and a store.
// BUG=2: a number is given back by an exclusive or, also when it was given back before.
// BUG=3: the last number is one too large for the table that it is used with.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 55
// check: -DBUG=1 rc11 rf violation race 54
// check: -DBUG=2 sc rf violation assertion 69
// check: -DBUG=3 sc rf violation invalid-access 54
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#define IDS 2

static _Atomic uint32_t bitmap;
static int owners[IDS];

static int take(void) {
    uint32_t seen = atomic_load_explicit(&bitmap, memory_order_relaxed);
    for (;;) {
        int id = __builtin_ctz(~seen);
        if (id >= IDS + (BUG == 3))
            return -1;
        uint32_t next = seen | 1u << id;
        if (BUG == 1) {
            atomic_store_explicit(&bitmap, next, memory_order_release);
            return id;
        }
        if (atomic_compare_exchange_weak_explicit(&bitmap, &seen, next, memory_order_acquire, memory_order_relaxed))
            return id;
    }
}

static void give_back(int id) {
    if (BUG == 2)
        atomic_fetch_xor_explicit(&bitmap, 1u << id, memory_order_release);
    else
        atomic_fetch_and_explicit(&bitmap, ~(1u << id), memory_order_release);
}

static void *client(void *argument) {
    int id = take();
    if (id < 0)
        return NULL;
    owners[id] = *(int *)argument;
    assert(owners[id] == *(int *)argument);
    give_back(id);
    if (BUG == 2)
        give_back(id);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int names[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, client, &names[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&bitmap) == 0);
    return 0;
}
