// A sequence lock: WRITERS threads make the sequence odd, write, and make it even again; READERS threads read until the
// sequence is even and the same before and after. Each thread tries up to N times.
//
// row: Tracer Table 7 | N=5 WRITERS=2 READERS=1 | --model ra --algorithm tracer | executions 14864, time 0.77 | ours executions 4296: the paper does not say what its threads do, nor how their loops are bounded
// row: Tracer Table 7 | N=5 WRITERS=2 READERS=1 | --model ra --equivalence rf | executions 14864 | ours executions 4296: the paper does not say what its threads do, nor how their loops are bounded
#include "ra.h"

static atomic_int sequence, data;

static void *writer(void *argument) {
    for (int tries = 0; tries < N; tries++) {
        int old = LOAD(sequence);
        if (old % 2 == 0 && CAS(sequence, old, old + 1)) {
            STORE(data, number(argument) + 1);
            ADD(sequence, 1);
            break;
        }
    }
    return NULL;
}

static void *reader(void *argument) {
    for (int tries = 0; tries < N; tries++) {
        int before = LOAD(sequence);
        if (before % 2 != 0)
            continue;
        LOAD(data);
        if (LOAD(sequence) == before)
            break;
    }
    return argument;
}

int main(void) {
    pthread_t threads[WRITERS + READERS];
    create(threads, 0, WRITERS, writer);
    create(threads, WRITERS, READERS, reader);
    join(threads, WRITERS + READERS);
    return 0;
}
