// A barrier for one writer and READERS readers, which check up to N times whether all have arrived, and then
// read what was written: (READERS+1)! * (N+1)^READERS executions.
//
// row: Tracer Table 7 | N=10 READERS=3 | --model ra --algorithm tracer | executions 31944, time 1.88
// row: Tracer Table 7 | N=10 READERS=3 | --model ra --equivalence rf | executions 31944
#include "ra.h"

static atomic_int step, waiting, variable;

static int wait(void) {
    int before = LOAD(step);
    if (ADD(waiting, 1) == READERS) {
        STORE(waiting, 0);
        ADD(step, 1);
        return 1;
    }
    for (int tries = 0; tries < N; tries++) {
        if (LOAD(step) != before)
            return 1;
    }
    return 0;
}

static void *writer(void *argument) {
    STORE(variable, 1);
    wait();
    return argument;
}

static void *reader(void *argument) {
    if (wait())
        LOAD(variable);
    return argument;
}

int main(void) {
    pthread_t threads[READERS + 1];
    create(threads, 0, 1, writer);
    create(threads, 1, READERS, reader);
    join(threads, READERS + 1);
    return 0;
}
