// Main counts an index up before it creates each of N threads, and every thread marks the slot that the index names
// when it looks: N! executions up to rf, (2N-1)!! up to co.
//
// row: Tracer Table 3 | N=5 | --model ra --algorithm tracer | executions 120, time 0.01
// row: Tracer Table 3 | N=5 | --model ra --equivalence rf | executions 120
// row: Tracer Table 3 | N=5 | --model ra --equivalence co | executions 945
// row: Tracer Table 3 | N=5 | --model rc11 --algorithm rcmc | executions 945, time 0.16
// row: Tracer Table 5 | N=6 | --model ra --algorithm tracer | executions 720, time 0.04
// row: Tracer Table 5 | N=6 | --model ra --equivalence rf | executions 720
// row: Tracer Table 5 | N=6 | --model ra --equivalence co | executions 10395
// row: Tracer Table 5 | N=6 | --model rc11 --algorithm rcmc | executions 10395, time 1.96
// row: Tracer Table 5 | N=7 | --model ra --algorithm tracer | executions 5040, time 0.40
// row: Tracer Table 5 | N=7 | --model ra --equivalence rf | executions 5040
// row: Tracer Table 5 | N=7 | --model ra --equivalence co | executions 135135
// row: Tracer Table 5 | N=7 | --model rc11 --algorithm rcmc | executions 135135, time 29.06
// row: Tracer Table 5 | N=8 | --model ra --algorithm tracer | executions 40320, time 3.28
// row: Tracer Table 5 | N=8 | --model ra --equivalence rf | executions 40320
// row: Tracer Table 5 | N=8 | --model ra --equivalence co | executions 2027025
// row: Tracer Table 5 | N=8 | --model rc11 --algorithm rcmc | executions 2027025, time 482
// row: Tracer Table 5 | N=9 | --model ra --algorithm tracer | executions 362880, time 33.59
// row: Tracer Table 5 | N=9 | --model ra --equivalence rf | executions 362880
#include "ra.h"

static atomic_int slots[N], last = -1;

static void *worker(void *argument) {
    int slot = LOAD(last);
    STORE(slots[slot], 1);
    return argument;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        STORE(last, LOAD(last) + 1);
        create(threads, i, 1, worker);
    }
    join(threads, N);
    return 0;
}
