// An MCS lock: every thread queues its node behind the last one and waits at its own gate, looking up to N times; the
// one that leaves opens the gate of the next. Two threads take it ROUNDS times each.
//
// row: Tracer Table 7 | N=5 ROUNDS=2 | --model ra --algorithm tracer | executions 70072, time 5.19 | ours executions 75916: the paper does not say what its threads do, nor how their loops are bounded
// row: Tracer Table 7 | N=5 ROUNDS=2 | --model ra --equivalence rf | executions 70072 | ours executions 75916: the paper does not say what its threads do, nor how their loops are bounded
#include "ra.h"

enum { THREADS = 2 };

// Nodes are numbered from 1; no node is 0.
static atomic_int tail, next[THREADS + 1], gate[THREADS + 1], slot;

static int lock(int me) {
    STORE(next[me], 0);
    STORE(gate[me], 1);
    int before = SWAP(tail, me);
    if (before == 0)
        return 1;
    STORE(next[before], me);
    for (int tries = 0; tries < N; tries++) {
        if (LOAD(gate[me]) == 0)
            return 1;
    }
    return 0;
}

static int unlock(int me) {
    int following = LOAD(next[me]);
    if (following == 0) {
        if (CAS(tail, me, 0))
            return 1;
        for (int tries = 0; tries < N && following == 0; tries++)
            following = LOAD(next[me]);
        if (following == 0)
            return 0;
    }
    STORE(gate[following], 0);
    return 1;
}

static void *worker(void *argument) {
    int me = number(argument) + 1;
    for (int round = 0; round < ROUNDS && lock(me); round++) {
        if (round % 2 == me % 2)
            LOAD(slot);
        else
            STORE(slot, me);
        if (!unlock(me))
            break;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, worker);
    join(threads, THREADS);
    return 0;
}
