// A work-stealing deque: its owner pushes N elements and takes N, two thieves try to steal once each.
//
// row: RVF-SMC Table 2 | N=4 | --model sc --algorithm rvf | executions 87807, time 289 | ours executions 766: the paper does not say what the threads do
// row: RVF-SMC Table 2 | N=4 | --model sc --equivalence rf | executions 175331, time 71 | ours executions 1736: the paper does not say what the threads do
// row: RVF-SMC Table 2 | N=4 | --model sc --algorithm source-dpor | executions 175331, time 71 | ours executions 1736: the paper does not say what the threads do
// row: RVF-SMC Table 2 | N=5 | --model sc --algorithm rvf | executions 227654, time 995 | ours executions 1472: the paper does not say what the threads do
// row: RVF-SMC Table 2 | N=5 | --model sc --equivalence rf | executions 448905, time 210 | ours executions 3222: the paper does not say what the threads do
// row: RVF-SMC Table 2 | N=5 | --model sc --algorithm source-dpor | executions 448905, time 200 | ours executions 3222: the paper does not say what the threads do
#include "sc.h"

static atomic_int top, bottom, cells[N];

static void push(int value) {
    int b = bottom;
    cells[b % N] = value;
    bottom = b + 1;
}

static void take(void) {
    int b = bottom - 1;
    bottom = b;
    int t = top;
    if (t > b) {
        bottom = b + 1;
        return;
    }
    (void)cells[b % N];
    if (t == b) {
        (void)atomic_compare_exchange_strong(&top, &(int){t}, t + 1);
        bottom = b + 1;
    }
}

static void *thief(void *argument) {
    int t = top, b = bottom;
    if (t < b) {
        (void)cells[t % N];
        (void)atomic_compare_exchange_strong(&top, &(int){t}, t + 1);
    }
    return argument;
}

static void *owner(void *argument) {
    for (int i = 0; i < N; i++)
        push(i + 1);
    for (int i = 0; i < N; i++)
        take();
    return argument;
}

int main(void) {
    pthread_t threads[3];
    create(threads, 0, 1, owner);
    create(threads, 1, 2, thief);
    join(threads, 3);
    return 0;
}
