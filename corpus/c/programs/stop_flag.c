// A worker that runs until a flag stops it, and leaves its last result behind.
//
// BUG=1: the flag is an ordinary variable, made volatile.
// BUG=2: the result is read before the worker is joined.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 43
// check: -DBUG=1 tso rf verified
// check: -DBUG=2 sc rf violation assertion 45
// check: -DBUG=2 rc11 rf violation race 34
// options: --unroll 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif

#if BUG == 1
static volatile bool should_stop;
#else
static atomic_bool should_stop;
#endif
static struct {
    int rounds, result;
} worker_state;

static void *worker(void *argument) {
    do {
        worker_state.rounds++;
        worker_state.result = 3 * worker_state.rounds;
    } while (!should_stop);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    should_stop = true;
    if (BUG == 2)
        assert(worker_state.result == 3 * worker_state.rounds);
    pthread_join(thread, NULL);
    assert(worker_state.result == 3 * worker_state.rounds && worker_state.rounds > 0);
    return 0;
}
