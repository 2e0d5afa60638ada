// A queued spin lock as in Linux, for few processors: one word that is compared and swapped as a whole, whose `locked`
// byte is stored to by itself, and whose tail is exchanged by itself.
//
// options: --mixed-sizes merge
// check: sc co verified
// check: tso co verified
// check: pso rf verified
// check: rc11 rf verified
// check: -DBUG=1 rc11 rf violation race
// check: -DBUG=1 tso co verified
// check: -DBUG=2 sc co violation assertion
// check: -DBUG=2 rc11 rf violation race
// check: -DBUG=3 rc11 rf violation non-termination
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif

union qspinlock {
    _Atomic uint32_t value;
    struct {
        _Atomic uint8_t locked, pending;
        _Atomic uint16_t tail;
    };
};

static union qspinlock lock;
static int counter;

struct node {
    _Atomic(struct node *) next;
    _Atomic int is_first;
};

static struct node nodes[3];

static void lock_slowly(int cpu) {
    struct node *node = &nodes[cpu];
    uint16_t before = atomic_exchange_explicit(&lock.tail, cpu, memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&nodes[before].next, node, memory_order_release);
        while (!atomic_load_explicit(&node->is_first, memory_order_acquire))
            ;
    }
    while (atomic_load_explicit(&lock.locked, memory_order_acquire))
        ;
    uint32_t mine = (uint32_t)cpu << 16;
    if (atomic_compare_exchange_strong(&lock.value, &mine, 1))
        return;
    atomic_store_explicit(&lock.locked, 1, memory_order_relaxed);
    struct node *next;
    while (!(next = atomic_load_explicit(&node->next, memory_order_acquire)))
        ;
    atomic_store_explicit(&next->is_first, 1, memory_order_release);
}

static void acquire(int cpu) {
    uint32_t unlocked = 0;
    if (!atomic_compare_exchange_strong_explicit(&lock.value, &unlocked, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        lock_slowly(cpu);
}

static void release(void) {
#if BUG == 1
    atomic_store_explicit(&lock.locked, 0, memory_order_relaxed);
#elif BUG == 3
    // The threads in the queue are lost.
    atomic_store_explicit(&lock.value, 0, memory_order_release);
#else
    atomic_store_explicit(&lock.locked, 0, memory_order_release);
#endif
}

static void *worker(void *cpu) {
    acquire((intptr_t)cpu);
#if BUG == 2
    // A byte further, and no thread holds the lock any more.
    lock.pending = 1;
    atomic_fetch_and(&lock.value, 0xffff0000);
#endif
    int seen = counter;
    counter = seen + 1;
    release();
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(counter == 2);
    return 0;
}
