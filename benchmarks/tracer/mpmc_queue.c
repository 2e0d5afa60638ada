// A bounded queue for several producers and consumers. One word counts the writes and, in its upper half, the reads that
// have started; two more count those that are done, and a thread that has started waits for the earlier ones. Main puts one
// element in; then one thread puts one in, one takes one out, and one does both. Each thread tries up to N times.
//
// row: Tracer Table 7 | N=5 | --model ra --algorithm tracer | executions 239254, time 44.50 | ours executions 50509: the paper does not say what its threads do, nor how their loops are bounded
// row: Tracer Table 7 | N=5 | --model ra --equivalence rf | executions 239254 | ours executions 50509: the paper does not say what its threads do, nor how their loops are bounded
#include "ra.h"

enum { SLOTS = 4, READ = 1 << 16 };

static atomic_int started, n_read, n_written, slots[SLOTS];

static int wait(atomic_int *cell, int value) {
    for (int tries = 0; tries < N; tries++) {
        if (LOAD(*cell) == value)
            return 1;
    }
    return 0;
}

static int put(int value) {
    for (int tries = 0; tries < N; tries++) {
        int old = LOAD(started), reads = old / READ, writes = old % READ;
        if (writes == reads + SLOTS)
            return 0;
        if (!CAS(started, old, old + 1))
            continue;
        if (!wait(&n_read, reads))
            return 0;
        STORE(slots[writes % SLOTS], value);
        ADD(n_written, 1);
        return 1;
    }
    return 0;
}

static int take(void) {
    for (int tries = 0; tries < N; tries++) {
        int old = LOAD(started), reads = old / READ, writes = old % READ;
        if (writes == reads)
            return 0;
        if (!CAS(started, old, old + READ))
            continue;
        if (!wait(&n_written, writes))
            return 0;
        LOAD(slots[reads % SLOTS]);
        ADD(n_read, 1);
        return 1;
    }
    return 0;
}

static void *producer(void *argument) {
    put(2);
    return argument;
}

static void *consumer(void *argument) {
    take();
    return argument;
}

static void *both(void *argument) {
    if (put(3))
        take();
    return argument;
}

int main(void) {
    pthread_t threads[3];
    put(1);
    create(threads, 0, 1, producer);
    create(threads, 1, 1, consumer);
    create(threads, 2, 1, both);
    join(threads, 3);
    return 0;
}
