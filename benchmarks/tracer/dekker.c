// Dekker's lock for two threads, taken ROUNDS times by each; loops that wait are tried up to N times, and a thread that
// has waited in vain ends.
//
// row: Tracer Table 3 | N=10 ROUNDS=1 | --model ra --algorithm tracer | executions 3121870, time 292 | ours executions 1192: the paper does not say how often the lock is taken, nor how that loop is bounded
// row: Tracer Table 3 | N=10 ROUNDS=1 | --model ra --equivalence rf | executions 3121870 | ours executions 1192: the paper does not say how often the lock is taken, nor how that loop is bounded
// row: Tracer Table 3 | N=10 ROUNDS=1 | --model ra --equivalence co | executions 3121870 | ours executions 1197: the paper does not say how often the lock is taken, nor how that loop is bounded
#include "ra.h"

static atomic_int flag[2], turn, x;

static int wait_turn(int me) {
    for (int tries = 0; tries < N; tries++) {
        if (LOAD(turn) == me)
            return 1;
    }
    return 0;
}

static int enter(int me) {
    STORE(flag[me], 1);
    for (int tries = 0; tries < N; tries++) {
        if (LOAD(flag[1 - me]) == 0)
            return 1;
        if (LOAD(turn) != me) {
            STORE(flag[me], 0);
            if (!wait_turn(me))
                return 0;
            STORE(flag[me], 1);
        }
    }
    return 0;
}

static void *worker(void *argument) {
    int me = number(argument);
    for (int round = 0; round < ROUNDS; round++) {
        if (!enter(me))
            break;
        STORE(x, me);
        LOAD(x);
        STORE(turn, 1 - me);
        STORE(flag[me], 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 2, worker);
    join(threads, 2);
    return 0;
}
