// A thread pushes five numbers on a stack, another one pops up to five, under a lock.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor | verdict verified, time 0.34
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor --mapping raw | verdict verified, time 0.36
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor --mapping raw | verdict verified, time 0.43
// row: Nidhugg 0.4 |  | --model sc --algorithm optimal-dpor | executions 252, blocked 753
// row: Nidhugg 0.4 |  | --model tso --algorithm optimal-dpor --mapping raw | executions 252, blocked 753
// row: Nidhugg 0.4 |  | --model pso --algorithm optimal-dpor --mapping raw | executions 252, blocked 753
#include "two_flags.h"
#include <assert.h>
#include <pthread.h>

#define SIZE 5

static volatile int stack[SIZE], top;

static void *pusher(void *unused) {
    for (int i = 0; i < SIZE; i++) {
        lock(0);
        assert(top < SIZE);
        stack[top] = i;
        top = top + 1;
        unlock(0);
    }
    return unused;
}

static void *popper(void *unused) {
    for (int i = 0; i < SIZE; i++) {
        lock(1);
        if (top > 0) {
            top = top - 1;
            (void)stack[top];
        }
        unlock(1);
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, pusher, NULL);
    pthread_create(&second, NULL, popper, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
