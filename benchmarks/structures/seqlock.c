// A sequence lock: a writer makes the sequence number odd while it works; a reader that saw an odd number, or
// another one at its end, reads again. Readers write nothing.
//
// BUG=1: the reader's second look at the number is not ordered after its reads of the data.
// BUG=2: the writer's first store of the number is not ordered before its writes of the data.
// BUG=3: the reader does not mind odd numbers.
//
// check: rc11 rf verified
// check: tso rf verified
// check: pso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation assertion 70
// check: -DBUG=1 tso rf verified
// check: -DBUG=2 rc11 rf violation assertion 70
// check: -DBUG=2 pso rf violation assertion 70
// check: -DBUG=2 tso rf verified
// check: -DBUG=3 sc rf violation assertion 70
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif

struct point {
    atomic_int x, y;
};

static atomic_uint sequence;
static struct point position;

static void write_position(int x, int y) {
    unsigned start = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, start + 1, memory_order_relaxed);
#if BUG != 2
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&position.x, x, memory_order_relaxed);
    atomic_store_explicit(&position.y, y, memory_order_relaxed);
    atomic_store_explicit(&sequence, start + 2, memory_order_release);
}

static void read_position(int *x, int *y) {
    unsigned before, after;
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        *x = atomic_load_explicit(&position.x, memory_order_relaxed);
        *y = atomic_load_explicit(&position.y, memory_order_relaxed);
#if BUG != 1
        atomic_thread_fence(memory_order_acquire);
#endif
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
#if BUG == 3
    } while (before != after);
#else
    } while (before != after || before % 2 == 1);
#endif
}

static void *writer(void *unused) {
    write_position(1, 1);
    write_position(2, 2);
    return unused;
}

static void *reader(void *unused) {
    int x, y;
    read_position(&x, &y);
    assert(x == y);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
