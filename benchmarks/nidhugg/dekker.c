// Dekker's mutual exclusion for two threads. A thread that waits for its turn in vain gives up the execution.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor --unroll 10 | verdict verified, time 0.10
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor --mapping raw --unroll 10 | verdict violation, time 0.11
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor --mapping raw --unroll 10 | verdict violation, time 0.09
// row: Nidhugg Table 1 | FENCES=TSO | --model sc --algorithm source-dpor --unroll 10 | verdict verified, time 0.11
// row: Nidhugg Table 1 | FENCES=TSO | --model tso --algorithm source-dpor --mapping raw --unroll 10 | verdict verified, time 0.12
// row: Nidhugg Table 1 | FENCES=TSO | --model pso --algorithm source-dpor --mapping raw --unroll 10 | verdict violation, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model sc --algorithm source-dpor --unroll 10 | verdict verified, time 0.11
// row: Nidhugg Table 1 | FENCES=PSO | --model tso --algorithm source-dpor --mapping raw --unroll 10 | verdict verified, time 0.12
// row: Nidhugg Table 1 | FENCES=PSO | --model pso --algorithm source-dpor --mapping raw --unroll 10 | verdict verified, time 0.12
// row: Nidhugg 0.4 |  | --model sc --algorithm optimal-dpor --unroll 10 | executions 11, blocked 10 | ours executions 4, blocked 8: an iteration of a waiting loop that changes nothing blocks at once and is not repeated
// row: Nidhugg 0.4 | FENCES=TSO | --model sc --algorithm optimal-dpor --unroll 10 | executions 11, blocked 10 | ours executions 4, blocked 8: an iteration of a waiting loop that changes nothing blocks at once and is not repeated
// row: Nidhugg 0.4 | FENCES=TSO | --model tso --algorithm optimal-dpor --mapping raw --unroll 10 | executions 11, blocked 10 | ours executions 4, blocked 8: an iteration of a waiting loop that changes nothing blocks at once and is not repeated
// row: Nidhugg 0.4 | FENCES=PSO | --model sc --algorithm optimal-dpor --unroll 10 | executions 11, blocked 10 | ours executions 4, blocked 8: an iteration of a waiting loop that changes nothing blocks at once and is not repeated
// row: Nidhugg 0.4 | FENCES=PSO | --model tso --algorithm optimal-dpor --mapping raw --unroll 10 | executions 11, blocked 10 | ours executions 4, blocked 8: an iteration of a waiting loop that changes nothing blocks at once and is not repeated
// row: Nidhugg 0.4 | FENCES=PSO | --model pso --algorithm optimal-dpor --mapping raw --unroll 10 | executions 14, blocked 10 | ours executions 6, blocked 8: an iteration of a waiting loop that changes nothing blocks at once and is not repeated
#include "fences.h"
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int);

static volatile int flag1, flag2, turn, x;

static void *thread_1(void *unused) {
    flag1 = 1;
    T();
    while (flag2 >= 1) {
        if (turn != 0) {
            flag1 = 0;
            __VERIFIER_assume(turn == 0);
            flag1 = 1;
            T();
        }
    }
    x = 0;
    assert(x <= 0);
    P();
    turn = 1;
    flag1 = 0;
    return unused;
}

static void *thread_2(void *unused) {
    flag2 = 1;
    T();
    while (flag1 >= 1) {
        if (turn != 1) {
            flag2 = 0;
            __VERIFIER_assume(turn == 1);
            flag2 = 1;
            T();
        }
    }
    x = 1;
    assert(x >= 1);
    P();
    turn = 0;
    flag2 = 0;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, thread_1, NULL);
    pthread_create(&second, NULL, thread_2, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
