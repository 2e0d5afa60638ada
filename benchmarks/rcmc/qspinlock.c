// qspinlock(N): the paper's program is the queued spin lock of the Linux kernel, with its support code. This is a
// self-contained substitute of ours, of the same kind: the word holds whether the lock is taken and which thread is last in the
// queue. A thread that does not get the lock at once queues up, waits until it is the first, then for the lock, and
// makes way for its successor. Each of N threads writes a plain variable under the lock. With ALL_SC all accesses are
// sequentially consistent.
//
// row: RCMC Table 6 | N=2 | --model sc --algorithm source-dpor | time 0.11 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=2 | --model tso --algorithm source-dpor --mapping raw | time 0.11 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=2 | --model pso --algorithm source-dpor --mapping raw | time 0.11 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=2 | --model rc11 --algorithm rcmc | time 0.06 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=2 | --model rc11 --equivalence co | time 0.06 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=2 | --model wrc11 --algorithm rcmc | time 0.06 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=3 | --model sc --algorithm source-dpor | time 15.78 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=3 | --model tso --algorithm source-dpor --mapping raw | time 17.12 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=3 | --model pso --algorithm source-dpor --mapping raw | time 26.62 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=3 | --model rc11 --algorithm rcmc | time 3.27 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=3 | --model rc11 --equivalence co | time 3.27 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 6 | N=3 | --model wrc11 --algorithm rcmc | time 3.40 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 7 | N=2 ALL_SC | --model sc --algorithm source-dpor | time 0.11 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 7 | N=2 ALL_SC | --model rc11 --algorithm rcmc | time 0.06 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 7 | N=2 ALL_SC | --model rc11 --equivalence co | time 0.06 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 7 | N=2 ALL_SC | --model wrc11 --algorithm rcmc | time 0.06 | ours executions 8, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 7 | N=3 ALL_SC | --model sc --algorithm source-dpor | time 15.78 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 7 | N=3 ALL_SC | --model rc11 --algorithm rcmc | time 3.34 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 7 | N=3 ALL_SC | --model rc11 --equivalence co | time 3.34 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: RCMC Table 7 | N=3 ALL_SC | --model wrc11 --algorithm rcmc | time 3.35 | ours executions 876, verdict verified: the paper prints only times, and its program is the kernel's
// row: GenMC suite | N=2 | --model rc11 --equivalence co | executions 6 | ours executions 8: the suite's program is the kernel's; ours is a substitute
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef ALL_SC
#define ORDER(name) memory_order_seq_cst
#else
#define ORDER(name) memory_order_##name
#endif

// Bit 0: the lock is taken. Bits 1 and up: the number of the last one in the queue, 0 for none.
#define TAKEN 1

struct node {
    atomic_int next, is_first;
};

static struct node nodes[N + 1];
static atomic_int word;
static int shared;

static int swap(int from, int to) {
    return atomic_compare_exchange_strong_explicit(&word, &from, to, ORDER(acquire), ORDER(relaxed));
}

// Enters thread `i` as the last one; returns the one that was last before.
static int join_queue(int i) {
    int now = atomic_load_explicit(&word, ORDER(relaxed));
    while (!atomic_compare_exchange_weak_explicit(&word, &now, i << 1 | (now & TAKEN), ORDER(acq_rel),
                                                  ORDER(relaxed)))
        ;
    return now >> 1;
}

static void lock(int i) {
    if (swap(0, TAKEN))
        return;
    int before = join_queue(i);
    if (before != 0) {
        atomic_store_explicit(&nodes[before].next, i, ORDER(release));
        while (!atomic_load_explicit(&nodes[i].is_first, ORDER(acquire)))
            ;
    }
    int now;
    do
        while ((now = atomic_load_explicit(&word, ORDER(relaxed))) & TAKEN)
            ;
    while (!swap(now, now >> 1 == i ? TAKEN : now | TAKEN));
    if (now >> 1 == i)
        return;
    int next;
    while ((next = atomic_load_explicit(&nodes[i].next, ORDER(acquire))) == 0)
        ;
    atomic_store_explicit(&nodes[next].is_first, 1, ORDER(release));
}

static void unlock(void) { atomic_fetch_sub_explicit(&word, TAKEN, ORDER(release)); }

static void *worker(void *argument) {
    int i = (int)(intptr_t)argument;
    lock(i);
    shared = i;
    assert(shared == i);
    unlock();
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
    pthread_exit(NULL);
}
