// Both threads store to their own byte and then load the word: one of them sees both bytes under sc. By x86's rules each
// may see its own byte only, because a load takes some bytes from the store buffer and others from memory.
//
// check: sc co verified
// check: tso co violation assertion
// check: pso rf violation assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
union word { _Atomic uint16_t w; _Atomic uint8_t b[2]; } x;
int a, b;
static void *p(void *u) {
    atomic_store_explicit(&x.b[0], 1, memory_order_relaxed);
    a = atomic_load_explicit(&x.w, memory_order_relaxed);
    return u;
}
static void *q(void *u) {
    atomic_store_explicit(&x.b[1], 1, memory_order_relaxed);
    b = atomic_load_explicit(&x.w, memory_order_relaxed);
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, p, 0);
    pthread_create(&t, 0, q, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a == 0x101 || b == 0x101);
    return 0;
}
