// Szymanski's mutual exclusion for two threads. A thread that would have to wait gives up the execution.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor | verdict verified, time 0.07
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor --mapping raw | verdict violation, time 0.13
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor --mapping raw | verdict violation, time 0.07
// row: Nidhugg Table 1 | FENCES=TSO | --model sc --algorithm source-dpor | verdict verified, time 0.08
// row: Nidhugg Table 1 | FENCES=TSO | --model tso --algorithm source-dpor --mapping raw | verdict verified, time 0.08
// row: Nidhugg Table 1 | FENCES=TSO | --model pso --algorithm source-dpor --mapping raw | verdict violation, time 0.07
// row: Nidhugg Table 1 | FENCES=PSO | --model sc --algorithm source-dpor | verdict verified, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model tso --algorithm source-dpor --mapping raw | verdict verified, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model pso --algorithm source-dpor --mapping raw | verdict verified, time 0.08
// row: Nidhugg 0.4 |  | --model sc --algorithm optimal-dpor | executions 6, blocked 97
// row: Nidhugg 0.4 | FENCES=TSO | --model sc --algorithm optimal-dpor | executions 6, blocked 97
// row: Nidhugg 0.4 | FENCES=TSO | --model tso --algorithm optimal-dpor --mapping raw | executions 6, blocked 97
// row: Nidhugg 0.4 | FENCES=PSO | --model sc --algorithm optimal-dpor | executions 6, blocked 97
// row: Nidhugg 0.4 | FENCES=PSO | --model tso --algorithm optimal-dpor --mapping raw | executions 6, blocked 97
// row: Nidhugg 0.4 | FENCES=PSO | --model pso --algorithm optimal-dpor --mapping raw | executions 6, blocked 97
#include "fences.h"
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int);

static volatile int flag1, flag2, x;

static void *thread_1(void *unused) {
    flag1 = 1;
    T();
    __VERIFIER_assume(flag2 < 3);
    flag1 = 3;
    T();
    if (flag2 == 1) {
        flag1 = 2;
        T();
        __VERIFIER_assume(flag2 == 4);
    }
    flag1 = 4;
    T();
    __VERIFIER_assume(flag2 < 2);
    x = 0;
    assert(x <= 0);
    P();
    __VERIFIER_assume(flag2 < 2 || flag2 > 3);
    flag1 = 0;
    return unused;
}

static void *thread_2(void *unused) {
    flag2 = 1;
    T();
    __VERIFIER_assume(flag1 < 3);
    flag2 = 3;
    T();
    if (flag1 == 1) {
        flag2 = 2;
        T();
        __VERIFIER_assume(flag1 == 4);
    }
    flag2 = 4;
    T();
    __VERIFIER_assume(flag1 < 2);
    x = 1;
    assert(x >= 1);
    P();
    __VERIFIER_assume(flag1 < 2 || flag1 > 3);
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
