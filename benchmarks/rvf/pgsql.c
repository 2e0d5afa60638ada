// Two workers hand a latch to each other in N rounds; each waits by looking up to N times, and leaves when the latch
// is not there then.
//
// row: RVF-SMC Table 2 | N=3 | --model sc --algorithm rvf | executions 3906, time 3.30
// row: RVF-SMC Table 2 | N=3 | --model sc --equivalence rf | executions 3906, time 1.01
// row: RVF-SMC Table 2 | N=3 | --model sc --algorithm source-dpor | executions 3906, time 0.51
// row: RVF-SMC Table 2 | N=3 | --model sc --algorithm optimal-dpor | executions 3906
// row: slow: RVF-SMC Table 2 | N=4 | --model sc --algorithm rvf | executions 335923, time 412
// row: slow: RVF-SMC Table 2 | N=4 | --model sc --equivalence rf | executions 335923, time 107
// row: RVF-SMC Table 2 | N=4 | --model sc --algorithm source-dpor | executions 335923, time 51
// row: RVF-SMC Table 2 | N=4 | --model sc --algorithm optimal-dpor | executions 335923
// row: RVF-SMC Fig. 11 | N=3 | --model sc --algorithm rvf --rvf-without signals | executions 3906
// row: RVF-SMC Fig. 11 | N=3 | --model sc --algorithm rvf --rvf-without greedy | executions 3906
// row: RVF-SMC Fig. 11 | N=3 | --model sc --algorithm rvf --rvf-without closure | executions 3906
// row: RVF-SMC Fig. 11 | N=3 | --model sc --algorithm rvf --rvf-without guide | executions 3906
// row: RVF-SMC Fig. 11 | N=3 | --model sc --algorithm rvf --rvf-without closure,guide | executions 3906
#include "sc.h"

static atomic_int latch[2] = {1, 0}, flag[2] = {1, 0};

static void *worker(void *argument) {
    int mine = number(argument), other = 1 - mine;
    for (int round = 0; round < N; round++) {
        for (int tries = 0; latch[mine] == 0 && tries < N; tries++) {
        }
        if (latch[mine] == 0)
            break;
        volatile int ok = latch[mine] == 0 || flag[mine] == 1;
        (void)ok;
        latch[mine] = 0;
        if (flag[mine]) {
            flag[mine] = 0;
            flag[other] = 1;
            latch[other] = 1;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 2, worker);
    join(threads, 2);
    return 0;
}
