// Whether x is written depends on N writers of y; N threads read x. 2^N+2N+1 executions up to rf, N! times that up to
// co.
//
// row: Tracer Table 5 | N=6 | --model ra --algorithm tracer | executions 77, time 0.01
// row: Tracer Table 5 | N=6 | --model ra --equivalence rf | executions 77
// row: Tracer Table 5 | N=6 | --model ra --equivalence co | executions 55440
// row: Tracer Table 5 | N=6 | --model rc11 --algorithm rcmc | executions 55440, time 1.97
// row: Tracer Table 5 | N=8 | --model ra --algorithm tracer | executions 273, time 0.03
// row: Tracer Table 5 | N=8 | --model ra --equivalence rf | executions 273
// row: slow: Tracer Table 5 | N=8 | --model ra --equivalence co | executions 11007360
// row: Tracer Table 5 | N=10 | --model ra --algorithm tracer | executions 1045, time 0.16
// row: Tracer Table 5 | N=10 | --model ra --equivalence rf | executions 1045
// row: Tracer Table 5 | N=12 | --model ra --algorithm tracer | executions 4121, time 0.79
// row: Tracer Table 5 | N=12 | --model ra --equivalence rf | executions 4121
#include "ra.h"

static atomic_int x, y, z;

static void *read_x(void *argument) {
    LOAD(x);
    return argument;
}

static void *write_y(void *argument) {
    STORE(y, 1);
    return argument;
}

static void *write_z(void *argument) {
    if (LOAD(y) == 0)
        STORE(z, 1);
    return argument;
}

static void *write_x(void *argument) {
    if (LOAD(z) == 1 && LOAD(y) == 0)
        STORE(x, 1);
    return argument;
}

int main(void) {
    pthread_t threads[2 * N + 2];
    create(threads, 0, N, read_x);
    create(threads, N, N, write_y);
    create(threads, 2 * N, 1, write_z);
    create(threads, 2 * N + 1, 1, write_x);
    join(threads, 2 * N + 2);
    return 0;
}
