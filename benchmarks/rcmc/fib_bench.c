// fib_bench(N): two threads add two variables to each other N times; a third one checks that neither gets larger than
// a Fibonacci number that can just be reached.
//
// row: RCMC Table 5 | N=3 | --model sc --algorithm source-dpor | executions 1710, time 0.47 | ours executions 1698: GenMC 0.11 and Nidhugg 0.4 find our number too; the printed number seems to count sleep-set blocked traces
// row: RCMC Table 5 | N=3 | --model tso --algorithm source-dpor --mapping raw | executions 2258, time 0.71
// row: RCMC Table 5 | N=3 | --model pso --algorithm source-dpor --mapping raw | executions 2258, time 1.05
// row: RCMC Table 5 | N=3 | --model rc11 --algorithm rcmc | executions 2258, time 0.11
// row: RCMC Table 5 | N=3 | --model rc11 --equivalence co | executions 2258
// row: RCMC Table 5 | N=3 | --model wrc11 --algorithm rcmc | executions 2258
// row: RCMC Table 5 | N=4 | --model sc --algorithm source-dpor | executions 19706, time 5.02 | ours executions 19605: GenMC 0.11 and Nidhugg 0.4 find our number too; the printed number seems to count sleep-set blocked traces
// row: RCMC Table 5 | N=4 | --model tso --algorithm source-dpor --mapping raw | executions 34205, time 9.98
// row: RCMC Table 5 | N=4 | --model pso --algorithm source-dpor --mapping raw | executions 34205, time 17.39
// row: RCMC Table 5 | N=4 | --model rc11 --algorithm rcmc | executions 34205, time 1.15
// row: RCMC Table 5 | N=4 | --model rc11 --equivalence co | executions 34205
// row: RCMC Table 5 | N=4 | --model wrc11 --algorithm rcmc | executions 34205
// row: RCMC Table 5 | N=5 | --model sc --algorithm source-dpor | executions 219057, time 69.96 | ours executions 218243: GenMC 0.11 and Nidhugg 0.4 find our number too; the printed number seems to count sleep-set blocked traces
// row: RCMC Table 5 | N=5 | --model tso --algorithm source-dpor --mapping raw | executions 525630, time 192.47
// row: RCMC Table 5 | N=5 | --model pso --algorithm source-dpor --mapping raw | executions 525630, time 276.48
// row: RCMC Table 5 | N=5 | --model rc11 --algorithm rcmc | executions 525630, time 18.64
// row: RCMC Table 5 | N=5 | --model rc11 --equivalence co | executions 525630
// row: RCMC Table 5 | N=5 | --model wrc11 --algorithm rcmc | executions 525630
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x = 1, y = 1;
static int limit = 1;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_acquire); }

static void *add_to(void *argument) {
    atomic_int *to = argument;
    for (int i = 0; i < N; i++) {
        int a = load(&x), b = load(&y);
        atomic_store_explicit(to, a + b, memory_order_release);
    }
    return NULL;
}

static void *check(void *unused) {
    if (load(&x) > limit || load(&y) > limit)
        assert(0);
    return unused;
}

int main(void) {
    for (int i = 0, before = 1; i < N; i++) {
        before += limit;
        limit += before;
    }
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, add_to, &x);
    pthread_create(&threads[1], NULL, add_to, &y);
    pthread_create(&threads[2], NULL, check, NULL);
    pthread_exit(NULL);
}
