// indexer(N): N threads enter four numbers each into a hash table of 128 slots, by compare-and-swap. Only from the
// twelfth thread on do two of them want the same slot.
//
// row: RCMC Table 2 | N=12 | --model sc --algorithm source-dpor | executions 8, blocked 0, time 0.12
// row: RCMC Table 2 | N=12 | --model tso --algorithm source-dpor --mapping raw | executions 8, blocked 0, time 0.13
// row: RCMC Table 2 | N=12 | --model pso --algorithm source-dpor --mapping raw | executions 8, blocked 0, time 0.14
// row: RCMC Table 2 | N=12 | --model rc11 --algorithm rcmc | executions 8, duplicates 0, time 0.05
// row: RCMC Table 2 | N=12 | --model rc11 --equivalence co | executions 8
// row: RCMC Table 2 | N=12 | --model wrc11 --algorithm rcmc | executions 8, duplicates 0, time 0.06
// row: RCMC Table 2 | N=13 | --model sc --algorithm source-dpor | executions 64, blocked 0, time 0.29
// row: RCMC Table 2 | N=13 | --model tso --algorithm source-dpor --mapping raw | executions 64, blocked 0, time 0.31
// row: RCMC Table 2 | N=13 | --model pso --algorithm source-dpor --mapping raw | executions 64, blocked 0, time 0.38
// row: RCMC Table 2 | N=13 | --model rc11 --algorithm rcmc | executions 64, duplicates 0, time 0.10
// row: RCMC Table 2 | N=13 | --model rc11 --equivalence co | executions 64
// row: RCMC Table 2 | N=13 | --model wrc11 --algorithm rcmc | executions 64, duplicates 0, time 0.10
// row: RCMC Table 2 | N=14 | --model sc --algorithm source-dpor | executions 512, blocked 0, time 1.56
// row: RCMC Table 2 | N=14 | --model tso --algorithm source-dpor --mapping raw | executions 512, blocked 0, time 1.79
// row: RCMC Table 2 | N=14 | --model pso --algorithm source-dpor --mapping raw | executions 512, blocked 0, time 2.35
// row: RCMC Table 2 | N=14 | --model rc11 --algorithm rcmc | executions 512, duplicates 0, time 0.56
// row: RCMC Table 2 | N=14 | --model rc11 --equivalence co | executions 512
// row: RCMC Table 2 | N=14 | --model wrc11 --algorithm rcmc | executions 512, duplicates 0, time 0.54
// row: RCMC Table 2 | N=15 | --model sc --algorithm source-dpor | executions 4096, blocked 0, time 12.74
// row: RCMC Table 2 | N=15 | --model tso --algorithm source-dpor --mapping raw | executions 4096, blocked 0, time 14.55
// row: RCMC Table 2 | N=15 | --model pso --algorithm source-dpor --mapping raw | executions 4096, blocked 0, time 18.05
// row: RCMC Table 2 | N=15 | --model rc11 --algorithm rcmc | executions 4096, duplicates 0, time 3.76
// row: RCMC Table 2 | N=15 | --model rc11 --equivalence co | executions 4096
// row: RCMC Table 2 | N=15 | --model wrc11 --algorithm rcmc | executions 4096, duplicates 0, time 3.75
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define SLOTS 128

static atomic_int table[SLOTS];

static void *worker(void *argument) {
    int id = (int)(intptr_t)argument;
    for (int i = 0; i < 4; i++) {
        int word = 11 * i + id, slot = 7 * word % SLOTS;
        for (;;) {
            int empty = 0;
            if (atomic_compare_exchange_strong_explicit(&table[slot], &empty, word, memory_order_relaxed,
                                                        memory_order_relaxed))
                break;
            slot = (slot + 1) % SLOTS;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    pthread_exit(NULL);
}
