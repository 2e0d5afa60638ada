// N threads write a variable once each, another one reads it.
//
// row: Tracer Table 4 | N=7 | --model ra --algorithm tracer | executions 8, time 0.00
// row: Tracer Table 4 | N=7 | --model ra --equivalence rf | executions 8
// row: Tracer Table 4 | N=7 | --model ra --equivalence co | executions 40320
// row: Tracer Table 4 | N=7 | --model rc11 --algorithm rcmc | executions 40320, time 0.46
// row: Tracer Table 4 | N=8 | --model ra --algorithm tracer | executions 9, time 0.00
// row: Tracer Table 4 | N=8 | --model ra --equivalence rf | executions 9
// row: Tracer Table 4 | N=8 | --model ra --equivalence co | executions 362880
// row: Tracer Table 4 | N=8 | --model rc11 --algorithm rcmc | executions 362880, time 4.19
// row: Tracer Table 4 | N=9 | --model ra --algorithm tracer | executions 10, time 0.00
// row: Tracer Table 4 | N=9 | --model ra --equivalence rf | executions 10
// row: Tracer Table 4 | N=9 | --model ra --equivalence co | executions 3628800
// row: Tracer Table 4 | N=9 | --model rc11 --algorithm rcmc | executions 3628800, time 46.13
// row: Tracer Table 4 | N=10 | --model ra --algorithm tracer | executions 11, time 0.00
// row: Tracer Table 4 | N=10 | --model ra --equivalence rf | executions 11
// row: slow: Tracer Table 4 | N=10 | --model ra --equivalence co | executions 39916800
// row: slow: Tracer Table 4 | N=10 | --model rc11 --algorithm rcmc | executions 39916800, time 575
#include "ra.h"

static atomic_int x;

static void *writer(void *argument) {
    STORE(x, number(argument) + 1);
    return NULL;
}

static void *reader(void *argument) {
    LOAD(x);
    return argument;
}

int main(void) {
    pthread_t threads[N + 1];
    create(threads, 0, N, writer);
    create(threads, N, 1, reader);
    join(threads, N + 1);
    return 0;
}
