// N threads write the same value and look at it: (N!)^2 Mazurkiewicz traces, (N+1)^(N-1) executions up to rf, and
// every read sees 4.
//
// row: RVF-SMC Table 1 | N=7 | --model sc --algorithm rvf | executions 1, time 0.09
// row: RVF-SMC Table 1 | N=7 | --model sc --equivalence rf | executions 262144, time 33
// row: slow: RVF-SMC Table 1 | N=7 | --model sc --algorithm source-dpor | executions 25401600, time 2819
// row: slow: RVF-SMC Table 1 | N=7 | --model sc --algorithm optimal-dpor | executions 25401600
// row: RVF-SMC Table 1 | N=8 | --model sc --algorithm rvf | executions 1, time 0.09
// row: slow: RVF-SMC Table 1 | N=8 | --model sc --equivalence rf | executions 4782969, time 677
// row: RVF-SMC Fig. 11 | N=8 | --model sc --algorithm rvf --rvf-without signals | executions 1
// row: RVF-SMC Fig. 11 | N=8 | --model sc --algorithm rvf --rvf-without greedy | executions 1
// row: RVF-SMC Fig. 11 | N=8 | --model sc --algorithm rvf --rvf-without closure | executions 1
// row: RVF-SMC Fig. 11 | N=8 | --model sc --algorithm rvf --rvf-without guide | executions 1
// row: RVF-SMC Fig. 11 | N=8 | --model sc --algorithm rvf --rvf-without closure,guide | executions 1
#include "sc.h"

static atomic_int s;

static void *worker(void *argument) {
    s = 4;
    (void)s;
    return argument;
}

int main(void) {
    pthread_t threads[N];
    create(threads, 0, N, worker);
    join(threads, N);
    return 0;
}
