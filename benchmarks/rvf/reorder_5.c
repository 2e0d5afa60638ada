// N threads write a and b, one looks whether it sees both or none: 2N^3+N^2+1 executions up to rf, in which it sees
// one of four things.
//
// row: RVF-SMC Table 1 | N=9 | --model sc --algorithm rvf | executions 4, time 0.10
// row: RVF-SMC Table 1 | N=9 | --model sc --equivalence rf | executions 1540, time 0.44
// row: RVF-SMC Table 1 | N=30 | --model sc --algorithm rvf | executions 4, time 0.09
// row: slow: RVF-SMC Table 1 | N=30 | --model sc --equivalence rf | executions 54901, time 49
// row: RVF-SMC Fig. 11 | N=9 | --model sc --algorithm rvf --rvf-without signals | executions 4
// row: RVF-SMC Fig. 11 | N=9 | --model sc --algorithm rvf --rvf-without greedy | executions 4
// row: RVF-SMC Fig. 11 | N=9 | --model sc --algorithm rvf --rvf-without closure | executions 4
// row: RVF-SMC Fig. 11 | N=9 | --model sc --algorithm rvf --rvf-without guide | executions 4
// row: RVF-SMC Fig. 11 | N=9 | --model sc --algorithm rvf --rvf-without closure,guide | executions 4
#include "sc.h"

static atomic_int a, b;

static void *setter(void *argument) {
    a = 1;
    b = -1;
    return argument;
}

static void *checker(void *argument) {
    volatile int ok = (a == 0 && b == 0) || (a == 1 && b == -1);
    (void)ok;
    return argument;
}

int main(void) {
    pthread_t threads[N + 1];
    create(threads, 0, N, setter);
    create(threads, N, 1, checker);
    join(threads, N + 1);
    return 0;
}
