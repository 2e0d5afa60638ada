// Two threads compute a greatest common divisor by subtraction: one makes a smaller, the other b, both under a lock, and
// each looks up to N times, without the lock, whether they are done.
//
// row: Tracer Table 3 | N=8 | --model ra --algorithm tracer | executions 1162333, time 168 | ours executions 129038: the paper's program has other initial values or loads; the initial values here are 17 and 7
// row: slow: Tracer Table 3 | N=8 | --model ra --equivalence rf | executions 1162333 | ours executions 129038: the paper's program has other initial values or loads; the initial values here are 17 and 7
// row: Tracer Table 3 | N=8 | --model ra --equivalence co | executions 1162333 | ours executions 129038: the paper's program has other initial values or loads; the initial values here are 17 and 7
#include "ra.h"

static atomic_int a = 17, b = 7;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reduce_a(void *argument) {
    for (int i = 0; i < N && LOAD(a) != LOAD(b); i++) {
        pthread_mutex_lock(&lock);
        if (LOAD(a) > LOAD(b)) {
            int old = LOAD(a);
            STORE(a, old - LOAD(b));
        }
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *reduce_b(void *argument) {
    for (int i = 0; i < N && LOAD(a) != LOAD(b); i++) {
        pthread_mutex_lock(&lock);
        if (LOAD(b) > LOAD(a)) {
            int old = LOAD(b);
            STORE(b, old - LOAD(a));
        }
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 1, reduce_a);
    create(threads, 1, 1, reduce_b);
    join(threads, 2);
    return 0;
}
