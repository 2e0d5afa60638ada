// stack_safe with a bug: the popper looks at a flag that the pusher sets, and not at the stack, so it may pop too much.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor | verdict violation, time 0.08
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor --mapping raw | verdict violation, time 0.08
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor --mapping raw | verdict violation, time 0.09
#include "two_flags.h"
#include <assert.h>
#include <pthread.h>

#define SIZE 5

static volatile int stack[SIZE], top, is_filled;

static void *pusher(void *unused) {
    for (int i = 0; i < SIZE; i++) {
        lock(0);
        assert(top < SIZE);
        stack[top] = i;
        top = top + 1;
        is_filled = 1;
        unlock(0);
    }
    return unused;
}

static void *popper(void *unused) {
    for (int i = 0; i < SIZE; i++) {
        lock(1);
        if (is_filled) {
            assert(top > 0);
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
