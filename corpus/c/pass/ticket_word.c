// A ticket lock of two halves, one for the ticket being served and one for the next ticket; a load of the whole word
// shows whether it is free.
//
// options: --mixed-sizes merge
// check: sc co verified
// check: tso co verified
// check: rc11 rf verified
// check: -DBUG rc11 rf violation race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef BUG
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

static union {
    _Atomic uint32_t word;
    struct {
        _Atomic uint16_t owner, next;
    };
} lock;

static int data;

static void acquire(void) {
    uint16_t mine = atomic_fetch_add_explicit(&lock.next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&lock.owner, memory_order_acquire) != mine)
        ;
}

static int try(void) {
    uint32_t seen = atomic_load_explicit(&lock.word, memory_order_relaxed);
    if (seen >> 16 != (seen & 0xffff))
        return 0;
    return atomic_compare_exchange_strong_explicit(&lock.word, &seen, seen + 0x10000, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void release(void) {
    uint16_t owner = atomic_load_explicit(&lock.owner, memory_order_relaxed);
    atomic_store_explicit(&lock.owner, owner + 1, RELEASE);
}

static void *waits(void *unused) {
    acquire();
    data++;
    release();
    return 0;
}

static void *tries(void *unused) {
    if (try()) {
        data++;
        release();
    }
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, waits, 0);
    pthread_create(&c, 0, tries, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(data == 2 || data == 3);
    assert(lock.owner == data && lock.word == data * 0x10001u);
    return 0;
}
