// A lock-free list of free slots in an array, as allocators have it: a Treiber stack of indices. The head carries a
// tag that counts changes, so that a head that comes back differs from one that never went.
//
// BUG=1: no tag. Between the look at the head and the compare-and-swap, another thread takes two slots and gives
//        the first one back: the compare-and-swap succeeds and hands out a slot that is in use (the ABA problem).
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation assertion 63
// check: -DBUG=1 sc rf violation assertion 63
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#define SLOTS 3
#define NONE 0xffffffffu

// The index in the lower half, the tag in the upper half.
static _Atomic uint64_t head;
static _Atomic uint32_t next[SLOTS];
static atomic_int users[SLOTS];

static uint32_t index_of(uint64_t head) { return (uint32_t)head; }

static uint64_t moved(uint64_t from, uint32_t index) {
#if BUG == 1
    (void)from;
    return index;
#else
    return ((from >> 32) + 1) << 32 | index;
#endif
}

static uint32_t take_slot(void) {
    uint64_t seen = atomic_load_explicit(&head, memory_order_acquire);
    for (;;) {
        uint32_t index = index_of(seen);
        if (index == NONE)
            return NONE;
        uint32_t after = atomic_load_explicit(&next[index], memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&head, &seen, moved(seen, after), memory_order_acquire,
                                                  memory_order_acquire))
            return index;
    }
}

static void give_slot(uint32_t index) {
    uint64_t seen = atomic_load_explicit(&head, memory_order_relaxed);
    do
        atomic_store_explicit(&next[index], index_of(seen), memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&head, &seen, moved(seen, index), memory_order_release,
                                                  memory_order_relaxed));
}

static uint32_t use_slot(void) {
    uint32_t index = take_slot();
    if (index != NONE)
        assert(atomic_fetch_add_explicit(&users[index], 1, memory_order_relaxed) == 0);
    return index;
}

static void drop_slot(uint32_t index) {
    if (index == NONE)
        return;
    atomic_fetch_sub_explicit(&users[index], 1, memory_order_relaxed);
    give_slot(index);
}

static void *one(void *unused) {
    use_slot();
    use_slot();
    return unused;
}

static void *two(void *unused) {
    uint32_t first = use_slot();
    use_slot();
    drop_slot(first);
    return unused;
}

int main(void) {
    for (uint32_t i = 0; i < SLOTS; i++)
        atomic_init(&next[i], i + 1 == SLOTS ? NONE : i + 1);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
