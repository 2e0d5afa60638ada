// exp-mem2(N): the paper calls it a variant of exp-mem without read-modify-writes and does not show it. This program
// of ours has the printed numbers: two copies of { one thread writes x, N threads write y, one thread writes x if it
// reads y = 1 }.
//
// row: TruSt Table 1 | N=4 | --model sc --algorithm source-dpor | executions 20736, blocked 650, time 4 | ours executions 20736, blocked 36864: the paper does not show its program, and which traces get sleep-set blocked depends on it
// row: TruSt Table 1 | N=4 | --model sc --algorithm optimal-dpor | executions 20736, time 4
// row: TruSt Table 1 | N=4 | --model rc11 --equivalence co | executions 20736, time 1
// row: slow: TruSt Table 1 | N=5 | --model sc --algorithm source-dpor | executions 705600, blocked 40778, time 182 | ours executions 705600: the paper does not show its program, and which traces get sleep-set blocked depends on it
// row: TruSt Table 1 | N=5 | --model sc --algorithm optimal-dpor | executions 705600, time 177
// row: TruSt Table 1 | N=5 | --model rc11 --equivalence co | executions 705600, time 52
// row: slow: TruSt Table 1 | N=6 | --model sc --algorithm source-dpor | executions 33177600, blocked 2866540, time 11194 | ours executions 33177600: the paper does not show its program, and which traces get sleep-set blocked depends on it
// row: slow: TruSt Table 1 | N=6 | --model sc --algorithm optimal-dpor | executions 33177600, time 10884
// row: slow: TruSt Table 1 | N=6 | --model rc11 --equivalence co | executions 33177600, time 2757
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define COPIES 2
#define THREADS (N + 2)

static atomic_int x[COPIES], y[COPIES];

static void *first(void *argument) {
    atomic_store_explicit(&x[(intptr_t)argument], 1, memory_order_relaxed);
    return NULL;
}

static void *second(void *argument) {
    if (atomic_load_explicit(&y[(intptr_t)argument], memory_order_relaxed) == 1)
        atomic_store_explicit(&x[(intptr_t)argument], 2, memory_order_relaxed);
    return NULL;
}

static void *write_y(void *argument) {
    int copy = (int)((intptr_t)argument % COPIES), value = (int)((intptr_t)argument / COPIES);
    atomic_store_explicit(&y[copy], value, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[COPIES * THREADS], *next = threads;
    for (intptr_t copy = 0; copy < COPIES; copy++) {
        pthread_create(next++, NULL, first, (void *)copy);
        for (intptr_t i = 1; i <= N; i++)
            pthread_create(next++, NULL, write_y, (void *)(COPIES * i + copy));
        pthread_create(next++, NULL, second, (void *)copy);
    }
    pthread_exit(NULL);
}
