// A double word whose halves are stored to one after the other and read at once: a reader sees them in every state
// between, but never half of a store. Fields at odd places, by builtins; a store to one part leaves the others alone.
//
// options: --mixed-sizes merge
// check: sc co verified
// check: tso co verified
// check: rc11 co verified
// check: ra rf verified
// check: -DTORN rc11 co violation assertion
// check: -DTORN sc co violation assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static union {
    _Atomic uint64_t both;
    struct {
        _Atomic uint32_t low, high;
    };
} word;

#pragma pack(push, 1)
static struct {
    uint16_t before;
    uint8_t flag;
    uint8_t level;
    uint32_t count;
} fields __attribute__((aligned(8)));
#pragma pack(pop)

static void *writer(void *unused) {
    atomic_store_explicit(&word.low, 0x11111111, memory_order_relaxed);
    atomic_store_explicit(&word.high, 0x22222222, memory_order_relaxed);
    __atomic_store_n(&fields.flag, 1, __ATOMIC_RELEASE);
    __atomic_fetch_add(&fields.count, 1, __ATOMIC_RELAXED);
    return 0;
}

static void *adder(void *unused) {
    __atomic_fetch_or(&fields.level, 0x80, __ATOMIC_RELAXED);
    __atomic_add_fetch((uint64_t *)&fields, 1, __ATOMIC_RELAXED);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, adder, 0);
    uint64_t seen = atomic_load_explicit(&word.both, memory_order_relaxed);
#ifdef TORN
    assert(seen != 0x11111111);
#else
    assert(seen == 0 || seen == 0x11111111 || seen == 0x2222222211111111);
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(word.both == 0x2222222211111111 && word.high == 0x22222222);
    assert(fields.before == 1 && fields.flag == 1 && fields.level == 0x80 && fields.count == 1);
    return 0;
}
