// A lock with a turn that goes round: a thread enters when no thread between the turn and itself wants to, and none
// after itself has announced itself; it steps back while another one comes before it. A thread that leaves moves the turn on.
// Each thread tries up to N times.
//
// row: Tracer Table 8 | N=2 THREADS=3 | --model ra --algorithm tracer | executions 96184, time 12.78 | ours executions 204819: the paper does not say what its threads do, nor how their loops are bounded
// row: Tracer Table 8 | N=2 THREADS=3 | --model ra --equivalence rf | executions 96184 | ours executions 204819: the paper does not say what its threads do, nor how their loops are bounded
#include "ra.h"

enum { UNLOCKED, WAITING, LOCKED };

static atomic_int states[THREADS], turn;

static int none_before(int me, int whose) {
    for (int i = whose; i != me; i = (i + 1) % THREADS) {
        if (LOAD(states[i]) != UNLOCKED)
            return 0;
    }
    return 1;
}

static int none_after(int me, int whose) {
    for (int i = (me + 1) % THREADS; i != whose && i != me; i = (i + 1) % THREADS) {
        if (LOAD(states[i]) == LOCKED)
            return 0;
    }
    return 1;
}

static int step_back(int me) {
    STORE(states[me], WAITING);
    for (int tries = 0; tries < N; tries++) {
        int whose = LOAD(turn);
        if (none_before(me, whose) && LOAD(turn) == whose) {
            STORE(states[me], LOCKED);
            return 1;
        }
    }
    return 0;
}

static int lock(int me) {
    STORE(states[me], LOCKED);
    for (int tries = 0; tries < N; tries++) {
        int whose = LOAD(turn);
        if (!none_before(me, whose)) {
            if (!step_back(me))
                return 0;
            continue;
        }
        for (int looks = 0; looks < N && LOAD(turn) == whose; looks++) {
            if (none_after(me, whose))
                return 1;
        }
    }
    return 0;
}

static void *worker(void *argument) {
    int me = number(argument);
    if (lock(me)) {
        STORE(turn, (LOAD(turn) + 1) % THREADS);
        STORE(states[me], UNLOCKED);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, worker);
    join(threads, THREADS);
    return 0;
}
