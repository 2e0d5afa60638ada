// One thread puts an element into a list, another takes it, and sleeps on an event count while there is none. The count
// has a bit that says that a thread wants to be woken. The producer looks at that bit too early, so the consumer may
// sleep forever. It tries up to N times.
//
// row: Tracer Table 7 | N=3 | --model ra --algorithm tracer --keep-going | executions 57, verdict violation, time 0.01 | ours executions 6, verdict violation: the paper does not say which accesses implement the condition variable; Atropos finds the deadlock
// row: Tracer Table 7 | N=3 | --model ra --equivalence rf --keep-going | executions 57, verdict violation | ours executions 6, verdict violation: the paper does not say which accesses implement the condition variable; Atropos finds the deadlock
#include "ra.h"

enum { SLEEPER = 1 << 20 };

static atomic_int next[2], value[2], count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

static void *producer(void *argument) {
    STORE(value[1], 11);
    STORE(next[0], 1);
    int seen = LOAD(count);
    if (seen & SLEEPER) {
        pthread_mutex_lock(&lock);
        for (int tries = 0; tries < N; tries++) {
            if (CAS(count, seen, (seen & ~SLEEPER) + 1))
                break;
            seen = LOAD(count);
        }
        pthread_mutex_unlock(&lock);
        pthread_cond_broadcast(&wake);
    }
    return argument;
}

static int take(void) {
    int first = LOAD(next[0]);
    return first == 0 ? 0 : LOAD(value[first]);
}

static void sleep_after(int seen) {
    if ((LOAD(count) & ~SLEEPER) != seen)
        return;
    pthread_mutex_lock(&lock);
    if ((LOAD(count) & ~SLEEPER) == seen)
        pthread_cond_wait(&wake, &lock);
    pthread_mutex_unlock(&lock);
}

static void *consumer(void *argument) {
    for (int tries = 0; tries < N && !take(); tries++) {
        int seen = atomic_fetch_or_explicit(&count, SLEEPER, memory_order_acq_rel) & ~SLEEPER;
        if (take())
            break;
        sleep_after(seen);
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 1, producer);
    create(threads, 1, 1, consumer);
    join(threads, 2);
    return 0;
}
