// ainc(N): N threads increment a counter.
//
// row: RCMC Table 2 | N=3 | --model sc --algorithm source-dpor | executions 6, blocked 0, time 0.11
// row: RCMC Table 2 | N=3 | --model tso --algorithm source-dpor --mapping raw | executions 6, blocked 0, time 0.10
// row: RCMC Table 2 | N=3 | --model pso --algorithm source-dpor --mapping raw | executions 6, blocked 0, time 0.11
// row: RCMC Table 2 | N=3 | --model rc11 --algorithm rcmc | executions 6, duplicates 0, time 0.05
// row: RCMC Table 2 | N=3 | --model rc11 --equivalence co | executions 6
// row: RCMC Table 2 | N=3 | --model wrc11 --algorithm rcmc | executions 6, duplicates 0, time 0.05
// row: RCMC Table 2 | N=4 | --model sc --algorithm source-dpor | executions 24, blocked 0, time 0.11
// row: RCMC Table 2 | N=4 | --model tso --algorithm source-dpor --mapping raw | executions 24, blocked 0, time 0.11
// row: RCMC Table 2 | N=4 | --model pso --algorithm source-dpor --mapping raw | executions 24, blocked 0, time 0.11
// row: RCMC Table 2 | N=4 | --model rc11 --algorithm rcmc | executions 24, duplicates 0, time 0.05
// row: RCMC Table 2 | N=4 | --model rc11 --equivalence co | executions 24
// row: RCMC Table 2 | N=4 | --model wrc11 --algorithm rcmc | executions 24, duplicates 0, time 0.05
// row: RCMC Table 2 | N=5 | --model sc --algorithm source-dpor | executions 120, blocked 0, time 0.13
// row: RCMC Table 2 | N=5 | --model tso --algorithm source-dpor --mapping raw | executions 120, blocked 0, time 0.13
// row: RCMC Table 2 | N=5 | --model pso --algorithm source-dpor --mapping raw | executions 120, blocked 0, time 0.14
// row: RCMC Table 2 | N=5 | --model rc11 --algorithm rcmc | executions 120, duplicates 0, time 0.05
// row: RCMC Table 2 | N=5 | --model rc11 --equivalence co | executions 120
// row: RCMC Table 2 | N=5 | --model wrc11 --algorithm rcmc | executions 120, duplicates 0, time 0.05
// row: RCMC Table 2 | N=6 | --model sc --algorithm source-dpor | executions 720, blocked 0, time 0.27
// row: RCMC Table 2 | N=6 | --model tso --algorithm source-dpor --mapping raw | executions 720, blocked 0, time 0.29
// row: RCMC Table 2 | N=6 | --model pso --algorithm source-dpor --mapping raw | executions 720, blocked 0, time 0.35
// row: RCMC Table 2 | N=6 | --model rc11 --algorithm rcmc | executions 720, duplicates 0, time 0.07
// row: RCMC Table 2 | N=6 | --model rc11 --equivalence co | executions 720
// row: RCMC Table 2 | N=6 | --model wrc11 --algorithm rcmc | executions 720, duplicates 0, time 0.07
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *increment(void *unused) {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    pthread_exit(NULL);
}
