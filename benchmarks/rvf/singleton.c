// N threads write one cell, the last of them another value than the rest; main waits for them and reads it.
//
// row: RVF-SMC Table 1 | N=20 | --model sc --algorithm rvf | executions 2, time 0.07
// row: RVF-SMC Table 1 | N=20 | --model sc --equivalence rf | executions 20, time 0.08
// row: RVF-SMC Table 1 | N=30 | --model sc --algorithm rvf | executions 2, time 0.08
// row: RVF-SMC Table 1 | N=30 | --model sc --equivalence rf | executions 30, time 0.10
// row: RVF-SMC Fig. 11 | N=20 | --model sc --algorithm rvf --rvf-without signals | executions 2
// row: RVF-SMC Fig. 11 | N=20 | --model sc --algorithm rvf --rvf-without greedy | executions 2
// row: RVF-SMC Fig. 11 | N=20 | --model sc --algorithm rvf --rvf-without closure | executions 2
// row: RVF-SMC Fig. 11 | N=20 | --model sc --algorithm rvf --rvf-without guide | executions 2
// row: RVF-SMC Fig. 11 | N=20 | --model sc --algorithm rvf --rvf-without closure,guide | executions 2
#include "sc.h"

static atomic_int cell;

static void *writer(void *argument) {
    cell = number(argument) == N - 1 ? 'Y' : 'X';
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    create(threads, 0, N, writer);
    join(threads, N);
    (void)cell;
    return 0;
}
