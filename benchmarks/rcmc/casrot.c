// casrot(N): thread i replaces i-1 by i, if it finds i-1.
//
// row: RCMC Table 1 | N=4 | --model sc --algorithm source-dpor | executions 14, blocked 0, time 0.10
// row: RCMC Table 1 | N=4 | --model tso --algorithm source-dpor --mapping raw | executions 14, blocked 0, time 0.10
// row: RCMC Table 1 | N=4 | --model pso --algorithm source-dpor --mapping raw | executions 14, blocked 0, time 0.11
// row: RCMC Table 1 | N=4 | --model rc11 --algorithm rcmc | executions 14, duplicates 0, time 0.04
// row: RCMC Table 1 | N=4 | --model rc11 --equivalence co | executions 14
// row: RCMC Table 1 | N=4 | --model wrc11 --algorithm rcmc | executions 14, duplicates 0, time 0.04
// row: RCMC Table 1 | N=6 | --model sc --algorithm source-dpor | executions 144, blocked 0, time 0.16
// row: RCMC Table 1 | N=6 | --model tso --algorithm source-dpor --mapping raw | executions 144, blocked 0, time 0.17
// row: RCMC Table 1 | N=6 | --model pso --algorithm source-dpor --mapping raw | executions 144, blocked 0, time 0.15
// row: RCMC Table 1 | N=6 | --model rc11 --algorithm rcmc | executions 144, duplicates 0, time 0.05
// row: RCMC Table 1 | N=6 | --model rc11 --equivalence co | executions 144
// row: RCMC Table 1 | N=6 | --model wrc11 --algorithm rcmc | executions 144, duplicates 0, time 0.05
// row: RCMC Table 1 | N=8 | --model sc --algorithm source-dpor | executions 2048, blocked 0, time 1.10
// row: RCMC Table 1 | N=8 | --model tso --algorithm source-dpor --mapping raw | executions 2048, blocked 0, time 1.21
// row: RCMC Table 1 | N=8 | --model pso --algorithm source-dpor --mapping raw | executions 2048, blocked 0, time 1.55
// row: RCMC Table 1 | N=8 | --model rc11 --algorithm rcmc | executions 2048, duplicates 0, time 0.15
// row: RCMC Table 1 | N=8 | --model rc11 --equivalence co | executions 2048
// row: RCMC Table 1 | N=8 | --model wrc11 --algorithm rcmc | executions 2048, duplicates 0, time 0.15
// row: RCMC Table 1 | N=10 | --model sc --algorithm source-dpor | executions 38486, blocked 0, time 23.26
// row: RCMC Table 1 | N=10 | --model tso --algorithm source-dpor --mapping raw | executions 38486, blocked 0, time 28.92
// row: RCMC Table 1 | N=10 | --model pso --algorithm source-dpor --mapping raw | executions 38486, blocked 0, time 33.37
// row: RCMC Table 1 | N=10 | --model rc11 --algorithm rcmc | executions 38486, duplicates 0, time 2.13
// row: RCMC Table 1 | N=10 | --model rc11 --equivalence co | executions 38486
// row: RCMC Table 1 | N=10 | --model wrc11 --algorithm rcmc | executions 38486, duplicates 0, time 2.14
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x;

static void *rotate(void *argument) {
    int i = (int)(intptr_t)argument, expected = i - 1;
    atomic_compare_exchange_strong_explicit(&x, &expected, i, memory_order_relaxed, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, rotate, (void *)(i + 1));
    pthread_exit(NULL);
}
