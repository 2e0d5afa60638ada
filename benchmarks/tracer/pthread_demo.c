// Two threads increment a counter N times each under a lock: C(2N, N) orders of the critical sections.
//
// row: Tracer Table 3 | N=10 | --model ra --algorithm tracer | executions 184756, time 18.00
// row: slow: Tracer Table 3 | N=10 | --model ra --equivalence rf | executions 184756
// row: Tracer Table 3 | N=10 | --model ra --equivalence co | executions 184756
// row: slow: Tracer Table 3 | N=10 | --model rc11 --algorithm rcmc | executions 184756, time 63
#include "ra.h"

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *argument) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 2, worker);
    join(threads, 2);
    return 0;
}
