// A reader-writer lock: writers and readers queue up as in a CLH lock; a writer then waits until the readers are gone, a
// reader counts itself and lets the next one in at once. The paper says nothing about its threads. THREADS writers that
// wait as long as it takes give the printed count, the number of orders in which they can queue up.
//
// row: Tracer Table 8 | THREADS=3 | --model ra --algorithm tracer | executions 6, time 0.00
// row: Tracer Table 8 | THREADS=3 | --model ra --equivalence rf | executions 6
#include "ra.h"

static atomic_int flags[THREADS + 1], tail, readers;

static void *writer(void *argument) {
    int mine = number(argument) + 1;
    STORE(flags[mine], 1);
    int before = SWAP(tail, mine);
    while (LOAD(flags[before]) != 0) {
    }
    while (LOAD(readers) != 0) {
    }
    STORE(flags[mine], 0);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, writer);
    join(threads, THREADS);
    return 0;
}
