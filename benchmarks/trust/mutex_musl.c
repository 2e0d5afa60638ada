// mutex_musl(N): N threads take a mutex made like musl's once and write a plain variable under it. The word is 0 when
// free, 1 when taken and 2 when taken and waited for; the counter stands for the kernel's futex.
//
// row: TruSt Table 2 | N=3 | --model rc11 --equivalence co | executions 361296, time 44 | ours executions 7086: not all details of the paper's program are known; GenMC 0.11 finds our number on this one
// row: slow: TruSt Table 2 | N=4 | --model rc11 --equivalence co | time 86400 | ours verdict verified: the paper prints that a day was not enough
// row: GenMC 0.11 | N=2 | --model rc11 --equivalence co | executions 12
// row: GenMC 0.11 | N=3 | --model rc11 --equivalence co | executions 7086
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int word, wakes;
static int shared;

static int swap(int from, int to, memory_order order) {
    return atomic_compare_exchange_strong_explicit(&word, &from, to, order, memory_order_relaxed);
}

static void wait_while_contended(void) {
    int before = atomic_load_explicit(&wakes, memory_order_acquire);
    if (atomic_load_explicit(&word, memory_order_acquire) != 2)
        return;
    while (atomic_load_explicit(&wakes, memory_order_acquire) == before)
        ;
}

static void lock(void) {
    if (swap(0, 1, memory_order_acquire))
        return;
    do {
        swap(1, 2, memory_order_relaxed);
        wait_while_contended();
    } while (!swap(0, 2, memory_order_acquire));
}

static void unlock(void) {
    if (swap(1, 0, memory_order_release))
        return;
    atomic_store_explicit(&word, 0, memory_order_release);
    atomic_fetch_add_explicit(&wakes, 1, memory_order_release);
}

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
