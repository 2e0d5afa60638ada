// Epoch-based reclamation: a reader announces the epoch in which it reads; what is unlinked in one epoch is freed when
// every reader that is active has been seen in a later one.
//
// BUG=1: the announcement is not ordered before the read of the pointer.
// BUG=2: the writer frees after one step of the epoch without looking at the reader.
// BUG=3: the reader announces that it has stopped by a relaxed store.
// BUG=4: the announcement is relaxed: a thread that sees it need not see that the section before it is over.
// BUG=5: the epoch advances by a relaxed increment: a thread in the new one may still find what was unlinked in the old one.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation use-after-free 74
// check: -DBUG=1 tso rf violation use-after-free 74
// check: -DBUG=1 sc rf verified
// check: -DBUG=2 sc rf violation use-after-free 60
// check: -DBUG=3 rc11 rf violation use-after-free 60
// check: -DBUG=3 tso rf verified
// check: -DBUG=4 rc11 rf violation use-after-free 60
// check: -DBUG=4 tso rf verified
// check: -DBUG=5 rc11 rf violation use-after-free 60
// check: -DBUG=5 tso rf verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#define IDLE 0u

struct entry {
    int key, value;
};

static _Atomic(struct entry *) current;
static atomic_uint epoch = 1, announced = IDLE;

static void enter(void) {
    unsigned now = atomic_load_explicit(&epoch, memory_order_relaxed);
    atomic_store_explicit(&announced, now, BUG == 4 ? memory_order_relaxed : memory_order_release);
    if (BUG != 1)
        atomic_thread_fence(memory_order_seq_cst);
}

static void leave(void) {
    atomic_store_explicit(&announced, IDLE, BUG == 3 ? memory_order_relaxed : memory_order_release);
}

static void retire(struct entry *old) {
    unsigned mine = atomic_fetch_add_explicit(&epoch, 1, BUG == 5 ? memory_order_relaxed : memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    if (BUG != 2) {
        unsigned seen;
        do
            seen = atomic_load_explicit(&announced, memory_order_acquire);
        while (seen != IDLE && seen <= mine);
    }
    free(old);
}

static struct entry *make(int key) {
    struct entry *made = malloc(sizeof *made);
    made->key = key;
    made->value = 2 * key;
    return made;
}

static void *reader(void *unused) {
    for (int i = 0; i < 2; i++) {
        enter();
        struct entry *seen = atomic_load_explicit(&current, memory_order_acquire);
        assert(seen->value == 2 * seen->key);
        leave();
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    atomic_init(&current, make(1));
    pthread_create(&thread, NULL, reader, NULL);
    for (int key = 2; key < 4; key++) {
        struct entry *old = atomic_exchange_explicit(&current, make(key), memory_order_acq_rel);
        retire(old);
    }
    pthread_join(thread, NULL);
    free(atomic_load(&current));
    return 0;
}
