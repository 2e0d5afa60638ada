// Two workers hand a flag to each other and wake each other by a latch, as in a bug report of PostgreSQL. They do so
// forever; the bound on loops ends them. (Bounded to 8, Nidhugg runs the body of such a loop seven times.)
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor --unroll 7 | verdict verified, time 0.08
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor --mapping raw --unroll 7 | verdict verified, time 0.07
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor --mapping raw --unroll 7 | verdict violation, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model sc --algorithm source-dpor --unroll 7 | verdict verified, time 0.07
// row: Nidhugg Table 1 | FENCES=PSO | --model tso --algorithm source-dpor --mapping raw --unroll 7 | verdict verified, time 0.07
// row: Nidhugg Table 1 | FENCES=PSO | --model pso --algorithm source-dpor --mapping raw --unroll 7 | verdict verified, time 0.08
// row: Nidhugg 0.4 |  | --model sc --algorithm optimal-dpor --unroll 7 | executions 0, blocked 16
// row: Nidhugg 0.4 |  | --model tso --algorithm optimal-dpor --mapping raw --unroll 7 | executions 0, blocked 16
// row: Nidhugg 0.4 | FENCES=PSO | --model sc --algorithm optimal-dpor --unroll 7 | executions 0, blocked 16
// row: Nidhugg 0.4 | FENCES=PSO | --model tso --algorithm optimal-dpor --mapping raw --unroll 7 | executions 0, blocked 16
// row: Nidhugg 0.4 | FENCES=PSO | --model pso --algorithm optimal-dpor --mapping raw --unroll 7 | executions 0, blocked 16
#include "fences.h"
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int);

static volatile int latch1 = 1, flag1 = 1, latch2, flag2;

static void work(volatile int *my_latch, volatile int *my_flag, volatile int *latch, volatile int *flag) {
    for (;;) {
        __VERIFIER_assume(*my_latch);
        assert(*my_latch == 0 || *my_flag == 1);
        *my_latch = 0;
        if (*my_flag) {
            *my_flag = 0;
            *flag = 1;
            P();
            *latch = 1;
        }
    }
}

static void *worker_1(void *unused) {
    work(&latch1, &flag1, &latch2, &flag2);
    return unused;
}

static void *worker_2(void *unused) {
    work(&latch2, &flag2, &latch1, &flag1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker_1, NULL);
    pthread_create(&second, NULL, worker_2, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
