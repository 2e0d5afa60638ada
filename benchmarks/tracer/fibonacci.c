// Two threads add x and y to each other N times each, a third one looks at both.
//
// row: Tracer Table 3 | N=5 | --model ra --algorithm tracer | executions 525630, time 57.95
// row: Tracer Table 3 | N=5 | --model ra --equivalence rf | executions 525630
// row: Tracer Table 3 | N=5 | --model ra --equivalence co | executions 525630
// row: Tracer Table 3 | N=5 | --model rc11 --algorithm rcmc | executions 525630, time 31.06
#include "ra.h"

static atomic_int x = 1, y = 1;

static void *add_to_x(void *argument) {
    for (int i = 0; i < N; i++) {
        int a = LOAD(x), b = LOAD(y);
        STORE(x, a + b);
    }
    return argument;
}

static void *add_to_y(void *argument) {
    for (int i = 0; i < N; i++) {
        int a = LOAD(x), b = LOAD(y);
        STORE(y, a + b);
    }
    return argument;
}

static void *observer(void *argument) {
    LOAD(x);
    LOAD(y);
    return argument;
}

int main(void) {
    pthread_t threads[3];
    create(threads, 0, 1, add_to_x);
    create(threads, 1, 1, add_to_y);
    create(threads, 2, 1, observer);
    join(threads, 3);
    return 0;
}
