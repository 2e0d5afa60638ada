// A barrier that can be used again: the last thread to come resets the count and turns the sense, for which all others
// wait.
//
// BUG=1: the sense is turned before the count is reset: a fast thread comes again and finds the old count.
// BUG=2: the count is an ordinary variable that is loaded and stored.
// BUG=3: the waiting loads are relaxed: what was written before the barrier need not be seen after it.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation non-termination 47
// check: -DBUG=2 sc rf violation non-termination 47
// check: -DBUG=3 rc11 rf violation assertion 57
// check: -DBUG=3 tso rf verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#define THREADS 2
#define PHASES 2

static atomic_int missing = THREADS;
static atomic_bool sense;
static int cells[THREADS][PHASES];

static void barrier_wait(bool *mine) {
    *mine = !*mine;
    int left;
    if (BUG == 2) {
        left = atomic_load(&missing) - 1;
        atomic_store(&missing, left);
    } else {
        left = atomic_fetch_sub_explicit(&missing, 1, memory_order_acq_rel) - 1;
    }
    if (left == 0) {
        if (BUG == 1)
            atomic_store_explicit(&sense, *mine, memory_order_release);
        atomic_store_explicit(&missing, THREADS, memory_order_relaxed);
        if (BUG != 1)
            atomic_store_explicit(&sense, *mine, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&sense, BUG == 3 ? memory_order_relaxed : memory_order_acquire) != *mine)
        ;
}

static void *worker(void *argument) {
    int me = *(int *)argument;
    bool mine = false;
    for (int phase = 0; phase < PHASES; phase++) {
        cells[me][phase] = phase + 1;
        barrier_wait(&mine);
        assert(cells[1 - me][phase] == phase + 1);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int ids[THREADS] = {0, 1};
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &ids[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
