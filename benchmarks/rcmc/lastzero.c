// lastzero(N): a reader looks for the last zero of an array, while thread j writes one more than it finds at j-1 to
// place j. With BACKWARDS (lastzero1 of RCMC) the threads are created in the opposite order. TruSt prints complete and
// sleep-set blocked traces of source-DPOR in one number.
//
// row: RCMC Table 4 | N=5 | --model sc --algorithm source-dpor | executions 64, blocked 33, time 0.13
// row: RCMC Table 4 | N=5 | --model tso --algorithm source-dpor --mapping raw | executions 64, blocked 33, time 0.13
// row: RCMC Table 4 | N=5 | --model pso --algorithm source-dpor --mapping raw | executions 64, blocked 33, time 0.17
// row: RCMC Table 4 | N=5 | --model rc11 --algorithm rcmc | executions 64, duplicates 0, time 0.04
// row: RCMC Table 4 | N=5 | --model rc11 --equivalence co | executions 64
// row: RCMC Table 4 | N=5 | --model wrc11 --algorithm rcmc | executions 64, duplicates 0, time 0.04
// row: RCMC Table 4 | N=10 | --model sc --algorithm source-dpor | executions 3328, blocked 16867, time 13.21
// row: RCMC Table 4 | N=10 | --model tso --algorithm source-dpor --mapping raw | executions 3328, blocked 16867, time 14.80
// row: RCMC Table 4 | N=10 | --model pso --algorithm source-dpor --mapping raw | executions 3328, blocked 16867, time 19.28
// row: RCMC Table 4 | N=10 | --model rc11 --algorithm rcmc | executions 3328, duplicates 0, time 0.26
// row: RCMC Table 4 | N=10 | --model rc11 --equivalence co | executions 3328
// row: RCMC Table 4 | N=10 | --model wrc11 --algorithm rcmc | executions 3328, duplicates 0, time 0.26
// row: slow: RCMC Table 4 | N=15 | --model sc --algorithm source-dpor | executions 147456, blocked 4651897, time 4974.60
// row: slow: RCMC Table 4 | N=15 | --model tso --algorithm source-dpor --mapping raw | executions 147456, blocked 4651897, time 5457.25
// row: slow: RCMC Table 4 | N=15 | --model pso --algorithm source-dpor --mapping raw | executions 147456, blocked 4651897, time 7046.75
// row: RCMC Table 4 | N=15 | --model rc11 --algorithm rcmc | executions 147456, duplicates 0, time 14.93
// row: RCMC Table 4 | N=15 | --model rc11 --equivalence co | executions 147456
// row: RCMC Table 4 | N=15 | --model wrc11 --algorithm rcmc | executions 147456, duplicates 0, time 14.53
// row: RCMC Table 4 | N=5 BACKWARDS=1 | --model sc --algorithm source-dpor | executions 64, blocked 0, time 0.13
// row: RCMC Table 4 | N=5 BACKWARDS=1 | --model tso --algorithm source-dpor --mapping raw | executions 64, blocked 0, time 0.13
// row: RCMC Table 4 | N=5 BACKWARDS=1 | --model pso --algorithm source-dpor --mapping raw | executions 64, blocked 0, time 0.14
// row: RCMC Table 4 | N=5 BACKWARDS=1 | --model rc11 --algorithm rcmc | executions 64, duplicates 0, time 0.05
// row: RCMC Table 4 | N=5 BACKWARDS=1 | --model rc11 --equivalence co | executions 64
// row: RCMC Table 4 | N=5 BACKWARDS=1 | --model wrc11 --algorithm rcmc | executions 64, duplicates 0, time 0.05
// row: RCMC Table 4 | N=10 BACKWARDS=1 | --model sc --algorithm source-dpor | executions 3328, blocked 0, time 2.29
// row: RCMC Table 4 | N=10 BACKWARDS=1 | --model tso --algorithm source-dpor --mapping raw | executions 3328, blocked 0, time 2.74
// row: RCMC Table 4 | N=10 BACKWARDS=1 | --model pso --algorithm source-dpor --mapping raw | executions 3328, blocked 0, time 3.42
// row: RCMC Table 4 | N=10 BACKWARDS=1 | --model rc11 --algorithm rcmc | executions 3328, duplicates 0, time 0.32
// row: RCMC Table 4 | N=10 BACKWARDS=1 | --model rc11 --equivalence co | executions 3328
// row: RCMC Table 4 | N=10 BACKWARDS=1 | --model wrc11 --algorithm rcmc | executions 3328, duplicates 0, time 0.31
// row: RCMC Table 4 | N=15 BACKWARDS=1 | --model sc --algorithm source-dpor | executions 147456, blocked 0, time 164.92
// row: RCMC Table 4 | N=15 BACKWARDS=1 | --model tso --algorithm source-dpor --mapping raw | executions 147456, blocked 0, time 188.29
// row: RCMC Table 4 | N=15 BACKWARDS=1 | --model pso --algorithm source-dpor --mapping raw | executions 147456, blocked 0, time 228.52
// row: RCMC Table 4 | N=15 BACKWARDS=1 | --model rc11 --algorithm rcmc | executions 147456, duplicates 0, time 15.02
// row: RCMC Table 4 | N=15 BACKWARDS=1 | --model rc11 --equivalence co | executions 147456
// row: RCMC Table 4 | N=15 BACKWARDS=1 | --model wrc11 --algorithm rcmc | executions 147456, duplicates 0, time 14.93
// row: TruSt Table 1 | N=10 | --model sc --algorithm source-dpor | executions 3328, blocked 16867, time 6
// row: TruSt Table 1 | N=10 | --model sc --algorithm optimal-dpor | executions 3328, blocked 0, time 1
// row: TruSt Table 1 | N=10 | --model rc11 --equivalence co | executions 3328, time 0
// row: slow: TruSt Table 1 | N=15 | --model sc --algorithm source-dpor | executions 147456, blocked 4651897, time 2137
// row: TruSt Table 1 | N=15 | --model sc --algorithm optimal-dpor | executions 147456, blocked 0, time 102
// row: TruSt Table 1 | N=15 | --model rc11 --equivalence co | executions 147456, time 11
// row: slow: TruSt Table 1 | N=20 | --model rc11 --equivalence co | executions 6029312, time 557
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef BACKWARDS
#define BACKWARDS 0
#endif

static atomic_int array[N + 1];

static void *reader(void) {
    int i = N;
    while (atomic_load_explicit(&array[i], memory_order_acquire) != 0)
        i--;
    return NULL;
}

static void *thread(void *argument) {
    int j = (int)(intptr_t)argument;
    if (j == 0)
        return reader();
    int value = atomic_load_explicit(&array[j - 1], memory_order_acquire);
    atomic_store_explicit(&array[j], value + 1, memory_order_release);
    return NULL;
}

int main(void) {
    pthread_t threads[N + 1];
    for (intptr_t i = 0; i <= N; i++)
        pthread_create(&threads[i], NULL, thread, (void *)(BACKWARDS ? N - i : i));
    pthread_exit(NULL);
}
