// Peterson's lock for two threads, taken ROUNDS times by each; a thread that has waited N times in vain ends.
//
// row: Tracer Table 3 | N=6 ROUNDS=2 | --model ra --algorithm tracer | executions 1897228, time 195 | ours executions 437569: the paper does not say how often the lock is taken, nor how that loop is bounded
// row: slow: Tracer Table 3 | N=6 ROUNDS=2 | --model ra --equivalence rf | executions 1897228 | ours executions 437569: the paper does not say how often the lock is taken, nor how that loop is bounded
// row: Tracer Table 3 | N=6 ROUNDS=2 | --model ra --equivalence co | executions 1897228 | ours executions 609560: the paper does not say how often the lock is taken, nor how that loop is bounded
#include "ra.h"

static atomic_int flag[2], turn, x;

static int wait(int me) {
    for (int tries = 0; tries < N; tries++) {
        int other_wants = LOAD(flag[1 - me]), whose = LOAD(turn);
        if (!other_wants || whose == me)
            return 1;
    }
    return 0;
}

static void *worker(void *argument) {
    int me = number(argument);
    for (int round = 0; round < ROUNDS; round++) {
        STORE(flag[me], 1);
        STORE(turn, 1 - me);
        if (!wait(me))
            break;
        STORE(x, me);
        LOAD(x);
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
