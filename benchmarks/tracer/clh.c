// THREADS threads queue up in a CLH lock and watch the flag of the one before them, up to N times; the value of the
// last look is not used any more.
//
// row: Tracer Table 8 | N=10 THREADS=3 | --model ra --algorithm tracer | executions 732, time 0.06
// row: Tracer Table 8 | N=10 THREADS=3 | --model ra --equivalence rf | executions 732
#include "ra.h"

static atomic_int flags[THREADS + 1], tail;

static void *worker(void *argument) {
    int mine = number(argument) + 1;
    STORE(flags[mine], 1);
    int before = SWAP(tail, mine), busy = LOAD(flags[before]);
    for (int tries = 0; tries < N; tries++) {
        if (!busy) {
            STORE(flags[mine], 0);
            break;
        }
        busy = LOAD(flags[before]);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, worker);
    join(threads, THREADS);
    return 0;
}
