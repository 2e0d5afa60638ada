// A store to a byte of an atomic word is a store like any other: it waits in the store buffer, and is no fence.
//
// options: --mixed-sizes merge
// check: sc co verified
// check: tso co violation assertion
// check: pso co violation assertion
// check: rc11 rf violation assertion
// check: -DFENCED tso co verified
// check: -DFENCED pso co verified
// check: -DFENCED rc11 rf verified
// check: -DSEQ_CST tso co verified
// check: -DSEQ_CST rc11 rf verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef SEQ_CST
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
#else
#define STORE memory_order_release
#define LOAD memory_order_acquire
#endif

union flag {
    _Atomic uint32_t word;
    _Atomic uint8_t bytes[4];
};

static union flag x, y;
static int a, b;

static void fence(void) {
#ifdef FENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void *left(void *unused) {
    atomic_store_explicit(&x.bytes[1], 1, STORE);
    fence();
    a = atomic_load_explicit(&y.bytes[2], LOAD);
    return 0;
}

static void *right(void *unused) {
    atomic_store_explicit(&y.bytes[2], 1, STORE);
    fence();
    b = atomic_load_explicit(&x.word, LOAD);
    return 0;
}

int main(void) {
    atomic_store(&y.word, 0x01000000);
    pthread_t s, t;
    pthread_create(&s, 0, left, 0);
    pthread_create(&t, 0, right, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a == 1 || b == 0x100);
    return 0;
}
