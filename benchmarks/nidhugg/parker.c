// Park and unpark with a store that comes too late: main unparks another thread twice, which parks until it sees that
// there is nothing more to come.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor --unroll 10 | verdict verified, time 1.50
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor --mapping raw --unroll 10 | verdict violation, time 0.09
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor --mapping raw --unroll 10 | verdict violation, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model sc --algorithm source-dpor --unroll 10 | verdict verified, time 1.50
// row: Nidhugg Table 1 | FENCES=PSO | --model tso --algorithm source-dpor --mapping raw --unroll 10 | verdict verified, time 1.92
// row: Nidhugg Table 1 | FENCES=PSO | --model pso --algorithm source-dpor --mapping raw --unroll 10 | verdict verified, time 2.94
// row: Nidhugg 0.4 |  | --model sc --algorithm optimal-dpor --unroll 10 | executions 3716, blocked 2626 | ours executions 3716, blocked 4396: the numbers of complete executions are equal; it is not known which executions that the loop bound ends are counted as blocked
// row: Nidhugg 0.4 | FENCES=PSO | --model sc --algorithm optimal-dpor --unroll 10 | executions 3716, blocked 2626 | ours executions 3716, blocked 4396: the numbers of complete executions are equal; it is not known which executions that the loop bound ends are counted as blocked
// row: Nidhugg 0.4 | FENCES=PSO | --model tso --algorithm optimal-dpor --mapping raw --unroll 10 | executions 3716, blocked 3367 | ours executions 3716, blocked 5212: the numbers of complete executions are equal; it is not known which executions that the loop bound ends are counted as blocked
// row: Nidhugg 0.4 | FENCES=PSO | --model pso --algorithm optimal-dpor --mapping raw --unroll 10 | executions 3716, blocked 3945 | ours executions 3716, blocked 5974: the numbers of complete executions are equal; it is not known which executions that the loop bound ends are counted as blocked
#include "two_flags.h"
#include <assert.h>
#include <pthread.h>

static volatile int counter, cond, global, finished;

static void unpark(void) {
    lock(0);
    int before = counter;
    counter = 1;
    unlock(0);
    if (before < 1)
        cond = 0;
}

static void park(void) {
    if (counter > 0) {
        counter = 0;
        P();
        return;
    }
    wants[1] = 1;
    full_fence();
    if (wants[0] != 0) {
        unlock(1);
        return;
    }
    if (counter > 0) {
        counter = 0;
        unlock(1);
        return;
    }
    cond = 1;
    unlock(1);
    assert(finished == 0 || cond == 0);
    __VERIFIER_assume(cond == 0);
    lock(1);
    counter = 0;
    unlock(1);
}

static void *parker(void *unused) {
    while (global == 0)
        park();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, parker, NULL);
    unpark();
    global = 1;
    full_fence();
    unpark();
    full_fence();
    finished = 1;
    pthread_join(thread, NULL);
    return 0;
}
