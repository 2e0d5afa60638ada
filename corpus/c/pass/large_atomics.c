// check: rc11 rf verified
// check: rc11 co verified
// check: -O2 rc11 rf verified
// check: tso rf verified
// check: pso rf verified
// check: sc co verified
// check: -DRELAXED rc11 rf violation assertion
// check: -DRELAXED tso rf verified
// check: -DLOCAL rc11 rf verified
// check: -DSB rc11 rf violation assertion
// check: -DSB tso rf violation assertion
// check: -DSB sc rf verified
//
// Atomic objects of 20 bytes: each access is one step, ordered as it says and no more; plain initialisation and plain
// reads after joining see the same bytes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    int a, b, c, d, e;
} Large;

#ifdef RELAXED
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#else
#define STORE memory_order_release
#define LOAD memory_order_acquire
#endif

static _Atomic Large object, other;
static atomic_int data;
static int seen[2];

static void *writer(void *unused) {
    Large value = {1, 1, 1, 1, 1};
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&object, value, STORE);
    return 0;
}
static void *reader(void *unused) {
    Large value = atomic_load_explicit(&object, LOAD);
    assert((value.a == 0 && value.e == 0) || (value.a == 1 && value.b == 1 && value.e == 1));
    if (value.a)
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
    return 0;
}
static void *first(void *unused) {
    Large value = {1, 2, 3, 4, 5};
    atomic_store_explicit(&object, value, memory_order_release);
    value = atomic_load_explicit(&other, memory_order_acquire);
    seen[0] = value.e;
    return 0;
}
static void *second(void *unused) {
    Large value = {1, 2, 3, 4, 5};
    atomic_store_explicit(&other, value, memory_order_release);
    value = atomic_load_explicit(&object, memory_order_acquire);
    seen[1] = value.e;
    return 0;
}
int main(void) {
    pthread_t threads[2];
#ifdef LOCAL
    _Atomic Large local;
    Large sevens = {7, 7, 7, 7, 7}, value = {8, 8, 8, 8, 8};
    atomic_init(&local, sevens);
    value = atomic_exchange(&local, value);
    assert(value.c == 7);
#endif
#ifdef SB
    Large zero = {0, 0, 0, 0, 0};
    atomic_init(&object, zero);
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
#else
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
#endif
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
#ifdef SB
    assert(seen[0] == 5 || seen[1] == 5);
#else
    assert(((Large *)&object)->e == 1);
#endif
    return 0;
}
