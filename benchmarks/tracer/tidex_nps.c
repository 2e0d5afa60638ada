// Tidex for two threads, numbered from 1, that wait in up to N rounds of one look and up to SPIN more:
// 2 * (2 + N * (SPIN + 1)) executions.
//
// row: Tracer Table 8 | N=5 SPIN=1024 | --model ra --algorithm tracer | executions 10254, time 22.58
// row: Tracer Table 8 | N=5 SPIN=1024 | --model ra --equivalence rf | executions 10254
#include "ra.h"

static atomic_int ingress, egress;

static int wait_for(int before) {
    for (int round = 0; round < N; round++) {
        if (LOAD(egress) == before)
            return 1;
        for (int spin = 0; spin < SPIN; spin++) {
            if (LOAD(egress) == before)
                return 1;
        }
    }
    return 0;
}

static void *worker(void *argument) {
    int mine = number(argument) + 1;
    if (LOAD(egress) == mine)
        mine = -mine;
    if (wait_for(SWAP(ingress, mine)))
        STORE(egress, mine);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 2, worker);
    join(threads, 2);
    return 0;
}
