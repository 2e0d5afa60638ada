// THREADS threads draw a ticket, look up to N times whether it is called, and call the next one.
//
// row: Tracer Table 6 | N=10 THREADS=3 | --model ra --algorithm tracer | executions 4026, time 0.25
// row: Tracer Table 6 | N=10 THREADS=3 | --model ra --equivalence rf | executions 4026
// row: Tracer Table 6 | N=10 THREADS=3 | --model ra --equivalence co | executions 4026
// row: Tracer Table 6 | N=10 THREADS=3 | --model rc11 --algorithm rcmc | executions 4026, time 50.76
#include "ra.h"

static atomic_int ingress, egress;

static void *worker(void *argument) {
    int ticket = ADD(ingress, 1);
    for (int tries = 0; tries < N; tries++) {
        if (LOAD(egress) == ticket) {
            STORE(egress, LOAD(egress) + 1);
            break;
        }
    }
    return argument;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, worker);
    join(threads, THREADS);
    return 0;
}
