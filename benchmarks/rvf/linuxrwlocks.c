// A reader-writer lock in one integer that starts at BIAS: readers take 1, writers BIAS, and a thread that got too little puts
// it back and looks up to N times whether to try again. N threads read and then write, one only reads.
//
// row: RVF-SMC Table 2 | N=1 | --model sc --algorithm rvf | executions 56, time 0.12 | ours executions 19: the paper does not say what the threads do
// row: RVF-SMC Table 2 | N=1 | --model sc --equivalence rf | executions 59, time 0.09 | ours executions 19: the paper does not say what the threads do
// row: RVF-SMC Table 2 | N=1 | --model sc --algorithm source-dpor | executions 59, time 0.13 | ours executions 19: the paper does not say what the threads do
// row: slow: RVF-SMC Table 2 | N=2 | --model sc --algorithm rvf | executions 62018, time 42 | ours verdict verified: the paper does not say what the threads do; ours has more than 3 million
// row: slow: RVF-SMC Table 2 | N=2 | --model sc --equivalence rf | executions 70026, time 15 | ours verdict verified: the paper does not say what the threads do; ours has more than 5 million
// row: slow: RVF-SMC Table 2 | N=2 | --model sc --algorithm source-dpor | executions 70026, time 9.50 | ours executions 5340734: the paper does not say what the threads do
#include "sc.h"

enum { BIAS = 0x100000 };

static atomic_int lock = BIAS, data;

static int take(int amount) {
    for (int tries = 0; tries < N; tries++) {
        int before = atomic_fetch_sub(&lock, amount);
        if (amount == BIAS ? before == BIAS : before > 0)
            return 1;
        atomic_fetch_add(&lock, amount);
        int looks = 0;
        while (looks < N && lock <= 0)
            looks++;
        if (looks == N)
            return 0;
    }
    return 0;
}

static void *reader(void *argument) {
    if (take(1)) {
        (void)data;
        atomic_fetch_add(&lock, 1);
    }
    return argument;
}

static void *both(void *argument) {
    reader(argument);
    if (take(BIAS)) {
        data = 1;
        atomic_fetch_add(&lock, BIAS);
    }
    return argument;
}

int main(void) {
    pthread_t threads[N + 1];
    create(threads, 0, N, both);
    create(threads, N, 1, reader);
    join(threads, N + 1);
    return 0;
}
