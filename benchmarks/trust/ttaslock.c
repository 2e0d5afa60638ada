// ttaslock(N): N threads take a test-and-test-and-set lock once and write a plain variable under it.
//
// row: TruSt Table 2 | N=3 | --model rc11 --equivalence co | executions 162, time 0 | ours executions 36: Atropos does not repeat a round of the loop in which an exchange only writes what it has read; when it explored such rounds, N=3 and N=4 had the printed numbers
// row: TruSt Table 2 | N=4 | --model rc11 --equivalence co | executions 20760, time 3 | ours executions 576: Atropos does not repeat a round of the loop in which an exchange only writes what it has read; when it explored such rounds, N=3 and N=4 had the printed numbers
// row: TruSt Table 2 | N=5 | --model rc11 --equivalence co | executions 14457720, time 2545 | ours executions 14400: Atropos does not repeat a round of the loop in which an exchange only writes what it has read; when it explored such rounds, N=3 and N=4 had the printed numbers
// row: GenMC 0.11 | N=3 | --model rc11 --equivalence co | executions 36, blocked 58
// row: GenMC 0.11 | N=4 | --model rc11 --equivalence co | executions 576, blocked 1590
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int is_taken;
static int shared;

static void lock(void) {
    do {
        while (atomic_load_explicit(&is_taken, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&is_taken, 1, memory_order_acquire));
}

static void unlock(void) { atomic_store_explicit(&is_taken, 0, memory_order_release); }

static void *worker(void *argument) {
    int i = (int)(intptr_t)argument;
    lock();
    shared = i;
    assert(shared == i);
    unlock();
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    pthread_exit(NULL);
}
