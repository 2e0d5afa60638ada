// A 64-bit counter in two 32-bit halves, as on machines that cannot write 64 bits at once; a sequence number tells a
// reader that it saw halves of different values.
//
// BUG=1: the reader does not look at the sequence number again.
// BUG=2: the writer's halves are not ordered between the two sequence numbers.
// BUG=3: the carry is forgotten.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 54
// check: -DBUG=2 rc11 rf violation assertion 54
// check: -DBUG=2 tso rf verified
// check: -DBUG=3 sc rf violation assertion 63
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif

static atomic_uint sequence;
static _Atomic uint32_t low = 0xffffffff, high = 0;

static void add(uint32_t bytes) {
    memory_order order = BUG == 2 ? memory_order_relaxed : memory_order_release;
    unsigned start = atomic_load_explicit(&sequence, memory_order_relaxed);
    uint32_t old = atomic_load_explicit(&low, memory_order_relaxed), new = old + bytes;
    atomic_store_explicit(&sequence, start + 1, memory_order_relaxed);
    if (BUG != 2)
        atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&low, new, memory_order_relaxed);
    if (BUG != 3 && new < old)
        atomic_store_explicit(&high, atomic_load_explicit(&high, memory_order_relaxed) + 1, memory_order_relaxed);
    atomic_store_explicit(&sequence, start + 2, order);
}

static uint64_t get(void) {
    for (;;) {
        unsigned start = atomic_load_explicit(&sequence, memory_order_acquire);
        uint64_t value = (uint64_t)atomic_load_explicit(&high, memory_order_relaxed) << 32;
        value |= atomic_load_explicit(&low, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (BUG == 1 || (start % 2 == 0 && atomic_load_explicit(&sequence, memory_order_relaxed) == start))
            return value;
    }
}

static void *reader(void *unused) {
    uint64_t first = get(), second = get();
    assert(first == 0xffffffff || first == 0x100000003);
    assert(first <= second);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    add(4);
    pthread_join(thread, NULL);
    assert(get() == 0x100000003);
    return 0;
}
