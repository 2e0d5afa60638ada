// binc(N): N threads increment two counters, one after the other.
//
// row: RCMC Table 2 | N=3 | --model sc --algorithm source-dpor | executions 36, blocked 0, time 0.10
// row: RCMC Table 2 | N=3 | --model tso --algorithm source-dpor --mapping raw | executions 36, blocked 0, time 0.10
// row: RCMC Table 2 | N=3 | --model pso --algorithm source-dpor --mapping raw | executions 36, blocked 0, time 0.10
// row: RCMC Table 2 | N=3 | --model rc11 --algorithm rcmc | executions 36, duplicates 2, time 0.04
// row: RCMC Table 2 | N=3 | --model rc11 --equivalence co | executions 36
// row: RCMC Table 2 | N=3 | --model wrc11 --algorithm rcmc | executions 36, duplicates 2, time 0.04
// row: RCMC Table 2 | N=4 | --model sc --algorithm source-dpor | executions 576, blocked 0, time 0.21
// row: RCMC Table 2 | N=4 | --model tso --algorithm source-dpor --mapping raw | executions 576, blocked 0, time 0.23
// row: RCMC Table 2 | N=4 | --model pso --algorithm source-dpor --mapping raw | executions 576, blocked 0, time 0.29
// row: RCMC Table 2 | N=4 | --model rc11 --algorithm rcmc | executions 576, duplicates 98, time 0.06
// row: RCMC Table 2 | N=4 | --model rc11 --equivalence co | executions 576
// row: RCMC Table 2 | N=4 | --model wrc11 --algorithm rcmc | executions 576, duplicates 98, time 0.06
// row: RCMC Table 2 | N=5 | --model sc --algorithm source-dpor | executions 14400, blocked 240, time 3.90 | ours executions 14400, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 2 | N=5 | --model tso --algorithm source-dpor --mapping raw | executions 14400, blocked 240, time 4.60 | ours executions 14400, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 2 | N=5 | --model pso --algorithm source-dpor --mapping raw | executions 14400, blocked 240, time 6.30 | ours executions 14400, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 2 | N=5 | --model rc11 --algorithm rcmc | executions 14400, duplicates 5002, time 0.89
// row: RCMC Table 2 | N=5 | --model rc11 --equivalence co | executions 14400
// row: RCMC Table 2 | N=5 | --model wrc11 --algorithm rcmc | executions 14400, duplicates 5002, time 0.84
// row: RCMC Table 2 | N=6 | --model sc --algorithm source-dpor | executions 518400, blocked 23448, time 167.68 | ours executions 518400, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 2 | N=6 | --model tso --algorithm source-dpor --mapping raw | executions 518400, blocked 23448, time 196.83 | ours executions 518400, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 2 | N=6 | --model pso --algorithm source-dpor --mapping raw | executions 518400, blocked 23448, time 242.40 | ours executions 518400, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: slow: RCMC Table 2 | N=6 | --model rc11 --algorithm rcmc | executions 518400, duplicates 309394, time 45.02
// row: RCMC Table 2 | N=6 | --model rc11 --equivalence co | executions 518400
// row: slow: RCMC Table 2 | N=6 | --model wrc11 --algorithm rcmc | executions 518400, duplicates 309394, time 44.93
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *increment(void *unused) {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    pthread_exit(NULL);
}
