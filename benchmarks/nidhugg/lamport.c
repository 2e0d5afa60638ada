// Lamport's fast mutual exclusion for two threads. A thread that would have to wait gives up the execution.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor --unroll 8 | verdict verified, time 0.08
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor --mapping raw --unroll 8 | verdict violation, time 0.08
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor --mapping raw --unroll 8 | verdict violation, time 0.08
// row: Nidhugg Table 1 | FENCES=TSO | --model sc --algorithm source-dpor --unroll 8 | verdict verified, time 0.09
// row: Nidhugg Table 1 | FENCES=TSO | --model tso --algorithm source-dpor --mapping raw --unroll 8 | verdict verified, time 0.08
// row: Nidhugg Table 1 | FENCES=TSO | --model pso --algorithm source-dpor --mapping raw --unroll 8 | verdict violation, time 0.07
// row: Nidhugg Table 1 | FENCES=PSO | --model sc --algorithm source-dpor --unroll 8 | verdict verified, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model tso --algorithm source-dpor --mapping raw --unroll 8 | verdict verified, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model pso --algorithm source-dpor --mapping raw --unroll 8 | verdict verified, time 0.08
// row: Nidhugg 0.4 |  | --model sc --algorithm optimal-dpor --unroll 8 | executions 16, blocked 16
// row: Nidhugg 0.4 | FENCES=TSO | --model sc --algorithm optimal-dpor --unroll 8 | executions 16, blocked 16
// row: Nidhugg 0.4 | FENCES=TSO | --model tso --algorithm optimal-dpor --mapping raw --unroll 8 | executions 16, blocked 16
// row: Nidhugg 0.4 | FENCES=PSO | --model sc --algorithm optimal-dpor --unroll 8 | executions 16, blocked 16
// row: Nidhugg 0.4 | FENCES=PSO | --model tso --algorithm optimal-dpor --mapping raw --unroll 8 | executions 16, blocked 16
// row: Nidhugg 0.4 | FENCES=PSO | --model pso --algorithm optimal-dpor --mapping raw --unroll 8 | executions 26, blocked 20
#include "fences.h"
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int);

static volatile int b1, b2, x, y, shared;

static void enter(int i, volatile int *mine, volatile int *other) {
    for (;;) {
        *mine = 1;
        x = i;
        T();
        if (y != 0) {
            *mine = 0;
            __VERIFIER_assume(y == 0);
            continue;
        }
        y = i;
        T();
        if (x != i) {
            *mine = 0;
            __VERIFIER_assume(*other == 0);
            if (y != i) {
                __VERIFIER_assume(y == 0);
                continue;
            }
        }
        return;
    }
}

static void leave(volatile int *mine) {
    P();
    y = 0;
    *mine = 0;
}

static void *thread_1(void *unused) {
    enter(1, &b1, &b2);
    shared = 0;
    assert(shared <= 0);
    leave(&b1);
    return unused;
}

static void *thread_2(void *unused) {
    enter(2, &b2, &b1);
    shared = 1;
    assert(shared >= 1);
    leave(&b2);
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
