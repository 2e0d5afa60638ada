// A lock that is a list: THREADS threads append themselves, wait to be behind its head, looking up to N times, and
// move the head to the next one if it is there already; the value of the last look is not used any more.
//
// row: Tracer Table 8 | N=10 THREADS=3 | --model ra --algorithm tracer | executions 4824, time 0.36
// row: Tracer Table 8 | N=10 THREADS=3 | --model ra --equivalence rf | executions 4824
#include "ra.h"

static atomic_int next[THREADS + 1], head, tail;

static void unlock(void) {
    int following = LOAD(next[LOAD(head)]);
    if (following != 0)
        STORE(head, following);
}

static void *worker(void *argument) {
    int mine = number(argument) + 1, before = SWAP(tail, mine);
    STORE(next[before], mine);
    int first = LOAD(head);
    for (int tries = 0; tries < N; tries++) {
        if (first == before) {
            unlock();
            break;
        }
        first = LOAD(head);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, worker);
    join(threads, THREADS);
    return 0;
}
