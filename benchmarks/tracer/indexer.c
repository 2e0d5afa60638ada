// N threads enter four numbers each into a hash table of 128 slots, each with a lock. The first eleven threads never
// meet: 8^(N-11) executions.
//
// row: Tracer Table 2 | N=13 | --model ra --algorithm tracer | executions 64, time 0.04
// row: Tracer Table 2 | N=13 | --model ra --equivalence rf | executions 64
// row: Tracer Table 2 | N=13 | --model ra --equivalence co | executions 64
// row: Tracer Table 2 | N=13 | --model rc11 --algorithm rcmc | executions 64, time 0.62
// row: Tracer Table 2 | N=14 | --model ra --algorithm tracer | executions 512, time 0.38
// row: Tracer Table 2 | N=14 | --model ra --equivalence rf | executions 512
// row: Tracer Table 2 | N=14 | --model ra --equivalence co | executions 512
// row: Tracer Table 2 | N=14 | --model rc11 --algorithm rcmc | executions 512, time 11.68
// row: Tracer Table 2 | N=15 | --model ra --algorithm tracer | executions 4096, time 2.98
// row: Tracer Table 2 | N=15 | --model ra --equivalence rf | executions 4096
// row: Tracer Table 2 | N=15 | --model ra --equivalence co | executions 4096
// row: slow: Tracer Table 2 | N=15 | --model rc11 --algorithm rcmc | executions 4096, time 262
// row: Tracer Table 2 | N=16 | --model ra --algorithm tracer | executions 32768, time 25.78
// row: Tracer Table 2 | N=16 | --model ra --equivalence rf | executions 32768
#include "ra.h"

enum { SLOTS = 128, ENTRIES = 4 };

static int table[SLOTS];
static pthread_mutex_t locks[SLOTS];

static void *worker(void *argument) {
    for (int m = 1; m <= ENTRIES; m++) {
        int entry = 11 * m + number(argument), slot = 7 * entry % SLOTS, done = 0;
        while (!done) {
            pthread_mutex_lock(&locks[slot]);
            if (table[slot] == 0) {
                table[slot] = entry;
                done = 1;
            }
            pthread_mutex_unlock(&locks[slot]);
            slot = (slot + 1) % SLOTS;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    create(threads, 0, N, worker);
    join(threads, N);
    return 0;
}
