// THREADS threads exchange their number for the one before them, and wait until that one leaves, looking up to N
// times. A thread that left last takes its number negated. Number 0 also means that no thread holds the lock.
//
// row: Tracer Table 8 | N=5 THREADS=3 | --model ra --algorithm tracer | executions 748, time 0.04
// row: Tracer Table 8 | N=5 THREADS=3 | --model ra --equivalence rf | executions 748
#include "ra.h"

static atomic_int ingress, egress;

static void *worker(void *argument) {
    int mine = number(argument);
    if (LOAD(egress) == mine)
        mine = -mine;
    int before = SWAP(ingress, mine);
    for (int tries = 0; tries < N; tries++) {
        if (LOAD(egress) == before) {
            STORE(egress, mine);
            break;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, worker);
    join(threads, THREADS);
    return 0;
}
