// A flag protocol of two threads, as in biased locks: each announces itself and looks for the other one. Both need a full
// fence between the two.
//
// BUG=1: the fast side only keeps the compiler from moving its load; the processor still may.
// BUG=2: the fences order nothing, being release and acquire.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 49
// check: -DBUG=1 tso rf violation assertion 51
// check: -DBUG=1 sc rf verified
// check: -DBUG=2 rc11 rf violation race 49
// check: -DBUG=2 tso rf violation assertion 51
// check: -DBUG=2 sc rf verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif

static atomic_int owner_in, revoker_in;
static int biased_data;

static void *owner(void *unused) {
    atomic_store_explicit(&owner_in, 1, memory_order_relaxed);
#if BUG == 1
    atomic_signal_fence(memory_order_seq_cst);
#elif BUG == 2
    atomic_thread_fence(memory_order_acq_rel);
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
    if (!atomic_load_explicit(&revoker_in, memory_order_relaxed)) {
        biased_data++;
        assert(biased_data == 1);
    }
    atomic_store_explicit(&owner_in, 0, memory_order_release);
    return unused;
}

static void *revoker(void *unused) {
    atomic_store_explicit(&revoker_in, 1, memory_order_relaxed);
    atomic_thread_fence(BUG == 2 ? memory_order_acq_rel : memory_order_seq_cst);
    while (atomic_load_explicit(&owner_in, memory_order_acquire))
        ;
    biased_data = 0;
    biased_data++;
    assert(biased_data == 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, revoker, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
