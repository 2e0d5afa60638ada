// The writers' side of a reader-writer lock in one integer: THREADS threads take all of BIAS, or put it back and wait,
// in up to N attempts of up to N looks.
//
// row: Tracer Table 6 | N=6 THREADS=2 | --model ra --algorithm tracer | executions 21, time 0.01 | ours executions 18: the paper does not say which lock it is, nor what its threads do
// row: Tracer Table 6 | N=6 THREADS=2 | --model ra --equivalence rf | executions 21 | ours executions 18: the paper does not say which lock it is, nor what its threads do
// row: Tracer Table 6 | N=6 THREADS=2 | --model ra --equivalence co | executions 21 | ours executions 18: the paper does not say which lock it is, nor what its threads do
// row: Tracer Table 6 | N=6 THREADS=3 | --model ra --algorithm tracer | executions 412814, time 33.21 | ours executions 116088: the paper does not say which lock it is, nor what its threads do
// row: Tracer Table 6 | N=6 THREADS=3 | --model ra --equivalence rf | executions 412814 | ours executions 116088: the paper does not say which lock it is, nor what its threads do
// row: Tracer Table 6 | N=6 THREADS=3 | --model ra --equivalence co | executions 412814 | ours executions 116088: the paper does not say which lock it is, nor what its threads do
#include "ra.h"

enum { BIAS = 0x100000 };

static atomic_int lock = BIAS, data;

static int write_lock(void) {
    for (int tries = 0; tries < N; tries++) {
        if (ADD(lock, -BIAS) == BIAS)
            return 1;
        ADD(lock, BIAS);
        int looks = 0;
        while (looks < N && LOAD(lock) != BIAS)
            looks++;
        if (looks == N)
            return 0;
    }
    return 0;
}

static void *worker(void *argument) {
    if (write_lock()) {
        STORE(data, number(argument));
        ADD(lock, BIAS);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, worker);
    join(threads, THREADS);
    return 0;
}
