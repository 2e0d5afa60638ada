// Szymanski's lock for two threads, taken ROUNDS times by each; a thread that has waited N times in vain ends.
//
// row: Tracer Table 3 | N=6 ROUNDS=1 | --model ra --algorithm tracer | executions 12209410, time 894 | ours executions 121802: the paper does not say how often the lock is taken, nor how that loop is bounded
// row: Tracer Table 3 | N=6 ROUNDS=1 | --model ra --equivalence rf | executions 12209410 | ours executions 121802: the paper does not say how often the lock is taken, nor how that loop is bounded
// row: Tracer Table 3 | N=6 ROUNDS=1 | --model ra --equivalence co | executions 26037490 | ours executions 124587: the paper does not say how often the lock is taken, nor how that loop is bounded
#include "ra.h"

static atomic_int flag[2], x;

static int below_3(int other) {
    return LOAD(flag[other]) < 3;
}

static int is_4(int other) {
    return LOAD(flag[other]) == 4;
}

static int below_2(int other) {
    return LOAD(flag[other]) < 2;
}

static int is_outside(int other) {
    return LOAD(flag[other]) < 2 || LOAD(flag[other]) > 3;
}

static int wait(int (*condition)(int), int other) {
    for (int tries = 0; tries < N; tries++) {
        if (condition(other))
            return 1;
    }
    return 0;
}

static int take_and_release(int me, int other) {
    STORE(flag[me], 1);
    if (!wait(below_3, other))
        return 0;
    STORE(flag[me], 3);
    if (LOAD(flag[other]) == 1) {
        STORE(flag[me], 2);
        if (!wait(is_4, other))
            return 0;
    }
    STORE(flag[me], 4);
    if (!wait(below_2, other))
        return 0;
    STORE(x, me);
    LOAD(x);
    if (!wait(is_outside, other))
        return 0;
    STORE(flag[me], 0);
    return 1;
}

static void *worker(void *argument) {
    int me = number(argument);
    for (int round = 0; round < ROUNDS; round++) {
        if (!take_and_release(me, 1 - me))
            break;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 2, worker);
    join(threads, 2);
    return 0;
}
