// A lock that is handed over: a leaving thread gives it to the next thread that waits, going upwards and round, so that
// no thread waits for more than one round of the others. A thread that wants in says so; if one with a smaller number has
// said so too, it waits for the lock to be handed over, and otherwise for all others to leave. A flag keeps threads
// that come meanwhile out while the lock goes from one to another. Each thread looks up to N times.
//
// row: Tracer Table 6 | N=5 THREADS=3 | --model ra --algorithm tracer | executions 5355, time 0.92 | ours executions 267639: the paper does not say what its threads do, nor how their loops are bounded
// row: Tracer Table 6 | N=5 THREADS=3 | --model ra --equivalence rf | executions 5355 | ours executions 267639: the paper does not say what its threads do, nor how their loops are bounded
// row: Tracer Table 6 | N=5 THREADS=3 | --model ra --equivalence co | executions 5355 | ours executions 321890: the paper does not say what its threads do, nor how their loops are bounded
#include "ra.h"

enum { UNLOCKED, WAITING, LOCKED };

static atomic_int states[THREADS], handed_to[THREADS], is_handing_over;

static int is_soon(atomic_int *cell, int value) {
    for (int looks = 0; looks < N; looks++) {
        if (LOAD(*cell) == value)
            return 1;
    }
    return 0;
}

static int another_before(int me) {
    for (int i = 0; i < me; i++) {
        if (LOAD(states[i]) != UNLOCKED)
            return 1;
    }
    return 0;
}

static int none_after(int me) {
    for (int i = me + 1; i < THREADS; i++) {
        int looks = 0;
        while (LOAD(states[i]) == LOCKED) {
            if (++looks == N)
                return 0;
        }
    }
    return 1;
}

static int lock(int me) {
    STORE(states[me], LOCKED);
    if (another_before(me)) {
        STORE(states[me], WAITING);
        int has_got_it = is_soon(&handed_to[me], 1);
        STORE(states[me], LOCKED);
        if (has_got_it) {
            STORE(handed_to[me], 0);
            STORE(is_handing_over, 0);
            return 1;
        }
        if (another_before(me))
            return 0;
    }
    return none_after(me) && is_soon(&is_handing_over, 0);
}

static void unlock(int me) {
    for (int step = 1; step < THREADS; step++) {
        int next = (me + step) % THREADS;
        if (LOAD(states[next]) == WAITING) {
            STORE(is_handing_over, 1);
            STORE(handed_to[next], 1);
            break;
        }
    }
    STORE(states[me], UNLOCKED);
}

static void *worker(void *argument) {
    int me = number(argument);
    if (lock(me))
        unlock(me);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, worker);
    join(threads, THREADS);
    return 0;
}
