// mpmc_queue: a bounded queue for several writers and readers. One word counts the reads (upper half) and writes begun,
// two counters those completed. Main publishes one element; then READERS threads read until the queue is empty, WRITERS
// threads write once, and BOTH threads write once and then read until it is empty.
//
// row: TruSt Table 2 | READERS=2 WRITERS=1 BOTH=0 | --model rc11 --equivalence co | executions 143, time 0 | ours executions 152: the paper does not say how the threads are split into readers and writers, nor how their loops are bounded
// row: TruSt Table 2 | READERS=2 WRITERS=2 BOTH=0 | --model rc11 --equivalence co | executions 31880, time 251 | ours executions 58496: the paper does not say how the threads are split into readers and writers, nor how their loops are bounded
// row: slow: TruSt Table 2 | READERS=3 WRITERS=2 BOTH=0 | --model rc11 --equivalence co | executions 1270584, time 37835 | ours executions 6199680: the paper does not say how the threads are split into readers and writers, nor how their loops are bounded
// row: GenMC 0.11 | READERS=1 WRITERS=1 BOTH=1 | --model rc11 --equivalence co | executions 166 | ours executions 16048: how that run bounded the loops is not known
#include <pthread.h>
#include <stdatomic.h>

#define SLOTS 4u
#define HALF 16
#define MASK 0xffffu
#define N (READERS + WRITERS + BOTH)

static atomic_uint begun, n_read, n_written;
static int slots[SLOTS];

// Waits until `counter` has come to `turn`.
static void await(atomic_uint *counter, unsigned turn) {
    while ((atomic_load_explicit(counter, memory_order_acquire) & MASK) != turn)
        ;
}

static int try_write(int value) {
    unsigned now = atomic_load_explicit(&begun, memory_order_acquire), reads, writes;
    do {
        reads = now >> HALF & MASK;
        writes = now & MASK;
        if (((reads + SLOTS) & MASK) == writes)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&begun, &now, reads << HALF | ((writes + 1) & MASK),
                                                    memory_order_acq_rel, memory_order_acquire));
    await(&n_read, reads);
    slots[writes % SLOTS] = value;
    atomic_fetch_add_explicit(&n_written, 1, memory_order_release);
    return 1;
}

static int try_read(int *value) {
    unsigned now = atomic_load_explicit(&begun, memory_order_acquire), reads, writes;
    do {
        reads = now >> HALF & MASK;
        writes = now & MASK;
        if (reads == writes)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&begun, &now, ((reads + 1) & MASK) << HALF | writes,
                                                    memory_order_acq_rel, memory_order_acquire));
    await(&n_written, writes);
    *value = slots[reads % SLOTS];
    atomic_fetch_add_explicit(&n_read, 1, memory_order_release);
    return 1;
}

static void *reader(void *unused) {
    int value;
    while (try_read(&value))
        ;
    return unused;
}

static void *writer(void *unused) {
    try_write(1);
    return unused;
}

static void *both(void *unused) {
    writer(unused);
    return reader(unused);
}

int main(void) {
    pthread_t threads[N];
    try_write(17);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, i < READERS ? reader : i < READERS + WRITERS ? writer : both, NULL);
    pthread_exit(NULL);
}
