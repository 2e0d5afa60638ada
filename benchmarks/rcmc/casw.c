// casw(N): thread i replaces 0 by i, if it finds 0, and then writes i+3 in any case.
//
// row: RCMC Table 3 | N=3 | --model wrc11 --algorithm rcmc | executions 24, duplicates 0, time 0.05
// row: RCMC Table 3 | N=3 | --model sc --algorithm source-dpor | executions 66, blocked 0, time 0.12
// row: RCMC Table 3 | N=3 | --model tso --algorithm source-dpor --mapping raw | executions 66, blocked 0, time 0.12
// row: RCMC Table 3 | N=3 | --model pso --algorithm source-dpor --mapping raw | executions 66, blocked 2, time 0.12 | ours executions 66, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=3 | --model rc11 --algorithm rcmc | executions 66, duplicates 0, time 0.05
// row: RCMC Table 3 | N=3 | --model rc11 --equivalence co | executions 66
// row: RCMC Table 3 | N=4 | --model wrc11 --algorithm rcmc | executions 200, duplicates 0, time 0.05
// row: RCMC Table 3 | N=4 | --model sc --algorithm source-dpor | executions 1200, blocked 40, time 0.46 | ours executions 1200, blocked 16: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=4 | --model tso --algorithm source-dpor --mapping raw | executions 1200, blocked 98, time 0.55 | ours executions 1200, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=4 | --model pso --algorithm source-dpor --mapping raw | executions 1200, blocked 237, time 0.80 | ours executions 1200, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=4 | --model rc11 --algorithm rcmc | executions 1200, duplicates 0, time 0.09
// row: RCMC Table 3 | N=4 | --model rc11 --equivalence co | executions 1200
// row: RCMC Table 3 | N=5 | --model wrc11 --algorithm rcmc | executions 2160, duplicates 0, time 0.14
// row: RCMC Table 3 | N=5 | --model sc --algorithm source-dpor | executions 32880, blocked 3626, time 11.26 | ours executions 32880, blocked 1180: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=5 | --model tso --algorithm source-dpor --mapping raw | executions 32880, blocked 10592, time 15.02 | ours executions 32880, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=5 | --model pso --algorithm source-dpor --mapping raw | executions 32880, blocked 19143, time 30.07 | ours executions 32880, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=5 | --model rc11 --algorithm rcmc | executions 32880, duplicates 0, time 1.18
// row: RCMC Table 3 | N=5 | --model rc11 --equivalence co | executions 32880
// row: RCMC Table 3 | N=6 | --model wrc11 --algorithm rcmc | executions 28812, duplicates 0, time 1.26
// row: RCMC Table 3 | N=6 | --model sc --algorithm source-dpor | executions 1270080, blocked 314966, time 602.43 | ours executions 1270080, blocked 67261: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=6 | --model tso --algorithm source-dpor --mapping raw | executions 1270080, blocked 962917, time 968.99 | ours executions 1270080, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=6 | --model pso --algorithm source-dpor --mapping raw | executions 1270080, blocked 1702307, time 2117.97 | ours executions 1270080, blocked 0: which traces get sleep-set blocked depends on the order in which threads are tried
// row: RCMC Table 3 | N=6 | --model rc11 --algorithm rcmc | executions 1270080, duplicates 0, time 48.52
// row: RCMC Table 3 | N=6 | --model rc11 --equivalence co | executions 1270080
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x;

static void *worker(void *argument) {
    int i = (int)(intptr_t)argument, expected = 0;
    atomic_compare_exchange_strong_explicit(&x, &expected, i, memory_order_relaxed, memory_order_relaxed);
    atomic_store_explicit(&x, i + 3, memory_order_release);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
    pthread_exit(NULL);
}
