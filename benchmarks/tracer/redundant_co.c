// Two threads write a variable N times each, a third one reads it twice: 3N^2+3N+1 executions up to rf.
//
// row: Tracer Table 4 | N=5 | --model ra --algorithm tracer | executions 91, time 0.01
// row: Tracer Table 4 | N=5 | --model ra --equivalence rf | executions 91
// row: Tracer Table 4 | N=5 | --model ra --equivalence co | executions 16632
// row: Tracer Table 4 | N=5 | --model rc11 --algorithm rcmc | executions 16632, time 0.39
// row: Tracer Table 4 | N=10 | --model ra --algorithm tracer | executions 331, time 0.02
// row: Tracer Table 4 | N=10 | --model ra --equivalence rf | executions 331
// row: slow: Tracer Table 4 | N=10 | --model ra --equivalence co | executions 42678636
// row: slow: Tracer Table 4 | N=10 | --model rc11 --algorithm rcmc | executions 42678636, time 1436
// row: Tracer Table 4 | N=15 | --model ra --algorithm tracer | executions 721, time 0.06
// row: Tracer Table 4 | N=15 | --model ra --equivalence rf | executions 721
// row: Tracer Table 4 | N=20 | --model ra --algorithm tracer | executions 1261, time 0.14
// row: Tracer Table 4 | N=20 | --model ra --equivalence rf | executions 1261
#include "ra.h"

static atomic_int x;

static void *writer(void *argument) {
    for (int i = 0; i < N; i++)
        STORE(x, 1);
    return argument;
}

static void *reader(void *argument) {
    LOAD(x);
    LOAD(x);
    return argument;
}

int main(void) {
    pthread_t threads[3];
    create(threads, 0, 2, writer);
    create(threads, 2, 1, reader);
    join(threads, 3);
    return 0;
}
