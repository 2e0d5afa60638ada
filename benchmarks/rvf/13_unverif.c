// N threads count under a lock; the one that then sees 1 counts on its own, N times. (N!)^2 executions, whatever counts
// as the same.
//
// row: RVF-SMC Table 2 | N=5 | --model sc --algorithm rvf | executions 14400, time 7.45
// row: RVF-SMC Table 2 | N=5 | --model sc --equivalence rf | executions 14400, time 3.33
// row: RVF-SMC Table 2 | N=5 | --model sc --algorithm source-dpor | executions 14400, time 2.72
// row: RVF-SMC Table 2 | N=5 | --model sc --algorithm optimal-dpor | executions 14400
// row: slow: RVF-SMC Table 2 | N=6 | --model sc --algorithm rvf | executions 518400, time 376
// row: slow: RVF-SMC Table 2 | N=6 | --model sc --equivalence rf | executions 518400, time 134
// row: RVF-SMC Table 2 | N=6 | --model sc --algorithm source-dpor | executions 518400, time 84
// row: RVF-SMC Table 2 | N=6 | --model sc --algorithm optimal-dpor | executions 518400
// row: RVF-SMC Fig. 11 | N=5 | --model sc --algorithm rvf --rvf-without signals | executions 14400
// row: RVF-SMC Fig. 11 | N=5 | --model sc --algorithm rvf --rvf-without greedy | executions 14400
// row: RVF-SMC Fig. 11 | N=5 | --model sc --algorithm rvf --rvf-without closure | executions 14400
// row: RVF-SMC Fig. 11 | N=5 | --model sc --algorithm rvf --rvf-without guide | executions 14400
// row: RVF-SMC Fig. 11 | N=5 | --model sc --algorithm rvf --rvf-without closure,guide | executions 14400
#include "sc.h"

static atomic_int r, s;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    r = r + 1;
    pthread_mutex_unlock(&lock);
    if (r == 1) {
        for (int i = 0; i < N; i++) {
            s = s + 1;
            (void)s;
        }
    }
    return argument;
}

int main(void) {
    pthread_t threads[N];
    create(threads, 0, N, worker);
    join(threads, N);
    return 0;
}
