// readers(N): one thread writes, N threads read.
//
// row: RCMC Table 1 | N=3 | --model sc --algorithm source-dpor | executions 8, blocked 0, time 0.10
// row: RCMC Table 1 | N=3 | --model tso --algorithm source-dpor --mapping raw | executions 8, blocked 0, time 0.10
// row: RCMC Table 1 | N=3 | --model pso --algorithm source-dpor --mapping raw | executions 8, blocked 0, time 0.11
// row: RCMC Table 1 | N=3 | --model rc11 --algorithm rcmc | executions 8, duplicates 0, time 0.04
// row: RCMC Table 1 | N=3 | --model rc11 --equivalence co | executions 8
// row: RCMC Table 1 | N=3 | --model wrc11 --algorithm rcmc | executions 8, duplicates 0, time 0.05
// row: RCMC Table 1 | N=8 | --model sc --algorithm source-dpor | executions 256, blocked 0, time 0.26
// row: RCMC Table 1 | N=8 | --model tso --algorithm source-dpor --mapping raw | executions 256, blocked 0, time 0.29
// row: RCMC Table 1 | N=8 | --model pso --algorithm source-dpor --mapping raw | executions 256, blocked 0, time 0.34
// row: RCMC Table 1 | N=8 | --model rc11 --algorithm rcmc | executions 256, duplicates 0, time 0.04
// row: RCMC Table 1 | N=8 | --model rc11 --equivalence co | executions 256
// row: RCMC Table 1 | N=8 | --model wrc11 --algorithm rcmc | executions 256, duplicates 0, time 0.05
// row: RCMC Table 1 | N=13 | --model sc --algorithm source-dpor | executions 8192, blocked 0, time 7.25
// row: RCMC Table 1 | N=13 | --model tso --algorithm source-dpor --mapping raw | executions 8192, blocked 0, time 8.15
// row: RCMC Table 1 | N=13 | --model pso --algorithm source-dpor --mapping raw | executions 8192, blocked 0, time 11.18
// row: RCMC Table 1 | N=13 | --model rc11 --algorithm rcmc | executions 8192, duplicates 0, time 0.40
// row: RCMC Table 1 | N=13 | --model rc11 --equivalence co | executions 8192
// row: RCMC Table 1 | N=13 | --model wrc11 --algorithm rcmc | executions 8192, duplicates 0, time 0.39
// row: RCMC Table 1 | N=18 | --model sc --algorithm source-dpor | executions 262144, blocked 0, time 350.48
// row: RCMC Table 1 | N=18 | --model tso --algorithm source-dpor --mapping raw | executions 262144, blocked 0, time 422.10
// row: RCMC Table 1 | N=18 | --model pso --algorithm source-dpor --mapping raw | executions 262144, blocked 0, time 444.34
// row: RCMC Table 1 | N=18 | --model rc11 --algorithm rcmc | executions 262144, duplicates 0, time 12.83
// row: RCMC Table 1 | N=18 | --model rc11 --equivalence co | executions 262144
// row: RCMC Table 1 | N=18 | --model wrc11 --algorithm rcmc | executions 262144, duplicates 0, time 12.72
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *writer(void *unused) {
    atomic_store_explicit(&x, 42, memory_order_release);
    return unused;
}

static void *reader(void *unused) {
    (void)atomic_load_explicit(&x, memory_order_acquire);
    return unused;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int i = 0; i <= N; i++)
        pthread_create(&threads[i], NULL, i == 0 ? writer : reader, NULL);
    pthread_exit(NULL);
}
