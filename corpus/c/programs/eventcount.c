// An event count: a thread that wants to wait takes the count, checks again whether there is something to do, and
// waits only while the count is still the same. Posting is cheap if no thread waits.
//
// BUG=1: no second look between taking the count and waiting.
// BUG=2: the poster looks for waiters before it has made its work visible, without a fence.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock 31
// check: -DBUG=2 rc11 rf violation deadlock 31
// check: -DBUG=2 tso rf violation deadlock 31
// check: -DBUG=2 sc rf verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static atomic_uint count;
static atomic_int n_waiters, work;

static void wait_beyond(unsigned ticket) {
    pthread_mutex_lock(&mutex);
    while (atomic_load_explicit(&count, memory_order_relaxed) == ticket)
        pthread_cond_wait(&moved, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void post(void) {
    if (BUG != 2)
        atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&n_waiters, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&mutex);
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&mutex);
}

static void *consumer(void *unused) {
    while (atomic_load_explicit(&work, memory_order_acquire) == 0) {
        atomic_fetch_add_explicit(&n_waiters, 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        unsigned ticket = atomic_load_explicit(&count, memory_order_acquire);
        if (BUG == 1 || atomic_load_explicit(&work, memory_order_acquire) == 0)
            wait_beyond(ticket);
        atomic_fetch_sub_explicit(&n_waiters, 1, memory_order_relaxed);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, consumer, NULL);
    atomic_store_explicit(&work, 1, memory_order_release);
    post();
    pthread_join(thread, NULL);
    return 0;
}
