// A loop whose fourth round fails. With fewer rounds that is not found, but the answer says that rounds were cut, also
// where the thread at its bound reads what is out of date. A loop that is idle is known exactly, whatever the bound.
// expect: all --unroll 0 => verified bounded
// expect: all --unroll 1 => verified bounded
// expect: all --unroll 5 => violation assertion
// expect: all --unroll 0 -- -DIDLE => verified
// expect: all --unroll 1 -- -DIDLE => verified
// expect: all -- -DIDLE => verified
// expect: all --unroll 0 -- -DIDLE -DNEVER => violation non-termination
// expect: all --unroll 1 -- -DPRIVATE => verified bounded
// expect: all --unroll 9 -- -DPRIVATE => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static void *writer(void *u) {
#ifndef NEVER
    atomic_store_explicit(&flag, 1, memory_order_release);
#endif
    return u;
}
static void *reader(void *u) {
#if defined IDLE
    while (!atomic_load_explicit(&flag, memory_order_acquire)) {}
#elif defined PRIVATE
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += i;
    assert(sum == 28);
#else
    int attempt = 0;
    while (!atomic_load_explicit(&flag, memory_order_acquire)) {
        ++attempt;
        assert(attempt < 4);
    }
#endif
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, writer, 0);
    pthread_create(&t, 0, reader, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
