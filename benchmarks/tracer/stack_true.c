// One thread pushes N times onto a stack, another pops N times if there is something, all under one lock: C(2N, N)
// orders of the critical sections. The check for overflow stays as a test without consequence.
//
// row: slow: Tracer Table 3 | N=12 | --model ra --algorithm tracer | executions 2704156, time 612
// row: slow: Tracer Table 3 | N=12 | --model ra --equivalence co | executions 2704156
#include "ra.h"

static int stack[N], top;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *pusher(void *argument) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        if (top < N) {
            stack[top] = i;
            top++;
        }
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *popper(void *argument) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        if (top > 0) {
            top--;
            volatile int popped = stack[top];
            (void)popped;
        }
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 1, pusher);
    create(threads, 1, 1, popper);
    join(threads, 2);
    return 0;
}
