// Lamport's fast lock for two threads, taken ROUNDS times by each; loops that wait or start over are tried up to N times,
// and a thread that has waited in vain ends.
//
// row: Tracer Table 3 | N=8 ROUNDS=1 | --model ra --algorithm tracer | executions 3372868, time 418 | ours executions 221: the paper does not say how often the lock is taken, nor how that loop is bounded
// row: Tracer Table 3 | N=8 ROUNDS=1 | --model ra --equivalence rf | executions 3372868 | ours executions 221: the paper does not say how often the lock is taken, nor how that loop is bounded
// row: Tracer Table 3 | N=8 ROUNDS=1 | --model ra --equivalence co | executions 6580870 | ours executions 300: the paper does not say how often the lock is taken, nor how that loop is bounded
#include "ra.h"

static atomic_int b[3], x, y, data;

static int wait_zero(atomic_int *cell) {
    for (int tries = 0; tries < N; tries++) {
        if (LOAD(*cell) == 0)
            return 1;
    }
    return 0;
}

static int enter(int me, int other) {
    for (int tries = 0; tries < N; tries++) {
        STORE(b[me], 1);
        STORE(x, me);
        if (LOAD(y) != 0) {
            STORE(b[me], 0);
            if (!wait_zero(&y))
                return 0;
            continue;
        }
        STORE(y, me);
        if (LOAD(x) == me)
            return 1;
        STORE(b[me], 0);
        if (!wait_zero(&b[other]))
            return 0;
        if (LOAD(y) == me)
            return 1;
        if (!wait_zero(&y))
            return 0;
    }
    return 0;
}

static void *worker(void *argument) {
    int me = number(argument) + 1;
    for (int round = 0; round < ROUNDS; round++) {
        if (!enter(me, 3 - me))
            break;
        STORE(data, me);
        LOAD(data);
        STORE(y, 0);
        STORE(b[me], 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 2, worker);
    join(threads, 2);
    return 0;
}
