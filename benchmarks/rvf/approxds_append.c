// N threads append their number to a list of N-2 slots without a lock; main waits for them and takes everything out.
//
// row: RVF-SMC Table 2 | N=6 | --model sc --algorithm rvf | executions 50897, time 60
// row: slow: RVF-SMC Table 2 | N=6 | --model sc --equivalence rf | executions 198936, time 67
// row: slow: RVF-SMC Table 2 | N=6 | --model sc --algorithm source-dpor | executions 9847080, time 2733
// row: slow: RVF-SMC Table 2 | N=7 | --model sc --algorithm rvf | executions 923526, time 2078
// row: slow: RVF-SMC Table 2 | N=7 | --model sc --equivalence rf | executions 4645207, time 2003
// row: RVF-SMC Fig. 11 | N=6 | --model sc --algorithm rvf --rvf-without signals | executions 50897
// row: RVF-SMC Fig. 11 | N=6 | --model sc --algorithm rvf --rvf-without greedy | executions 50897
// row: RVF-SMC Fig. 11 | N=6 | --model sc --algorithm rvf --rvf-without closure | executions 50897
// row: RVF-SMC Fig. 11 | N=6 | --model sc --algorithm rvf --rvf-without guide | executions 50897
// row: RVF-SMC Fig. 11 | N=6 | --model sc --algorithm rvf --rvf-without closure,guide | executions 50897
#include "sc.h"

enum { SLOTS = N - 2 };

static atomic_int slots[SLOTS], next;

static void *append(void *argument) {
    int slot = next;
    if (slot < SLOTS) {
        slots[slot] = number(argument);
        next = slot + 1;
    }
    return NULL;
}

static int pop(void) {
    int last = next;
    if (last == 0)
        return 0;
    do
        (void)slots[last - 1];
    while (next != last);
    next = last - 1;
    return 1;
}

int main(void) {
    pthread_t threads[N];
    create(threads, 0, N, append);
    join(threads, N);
    while (pop()) {
    }
    return 0;
}
