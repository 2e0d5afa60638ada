// mcs_spinlock(N): N threads take a queue lock of Mellor-Crummey and Scott once and write a plain variable under it.
// Each waits on a flag of its own, which its predecessor sets. The links between nodes are relaxed, as where the lock
// comes from: that is right where addresses carry dependencies, but RC11 knows none, so the flag may be granted before
// it is reset, and its owner waits forever. That is reported; --keep-going counts the executions all the same. With
// ACQUIRE_NEXT the links are released and acquired, and the lock is right.
//
// row: TruSt Table 2 | N=4 | --model rc11 --equivalence co --keep-going | executions 15264, time 8 | ours executions 1080: not all details of the paper's program are known; GenMC 0.11 finds our number on this one
// row: TruSt Table 2 | N=5 | --model rc11 --equivalence co --keep-going | executions 964320, time 617 | ours executions 23640: not all details of the paper's program are known; for N=4 GenMC 0.11 finds our number on this one
// row: GenMC 0.11 | N=4 | --model rc11 --equivalence co --keep-going | executions 1080
// row: GenMC 0.11 | N=4 ACQUIRE_NEXT | --model rc11 --equivalence co | executions 1080, verdict verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef ACQUIRE_NEXT
#define LINK memory_order_release
#define FOLLOW memory_order_acquire
#else
#define LINK memory_order_relaxed
#define FOLLOW memory_order_relaxed
#endif

struct node {
    _Atomic(struct node *) next;
    atomic_int is_granted;
};

static struct node nodes[N];
static _Atomic(struct node *) tail;
static int shared;

static void lock(struct node *mine) {
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&mine->is_granted, 0, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    if (before == NULL)
        return;
    atomic_store_explicit(&before->next, mine, LINK);
    while (!atomic_load_explicit(&mine->is_granted, memory_order_acquire))
        ;
}

static void unlock(struct node *mine) {
    struct node *after = atomic_load_explicit(&mine->next, FOLLOW);
    if (after == NULL) {
        struct node *expected = mine;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while ((after = atomic_load_explicit(&mine->next, FOLLOW)) == NULL)
            ;
    }
    atomic_store_explicit(&after->is_granted, 1, memory_order_release);
}

static void *worker(void *argument) {
    int i = (int)(intptr_t)argument;
    lock(&nodes[i]);
    shared = i;
    assert(shared == i);
    unlock(&nodes[i]);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    pthread_exit(NULL);
}
