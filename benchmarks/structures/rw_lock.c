// A reader-writer lock in one word: the number of readers, or -1 while a writer is in.
//
// BUG=1: a reader leaves with a relaxed decrement, and the writer that follows may overwrite what is being read.
// BUG=2: a reader increments without looking whether a writer is in.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 71
// check: -DBUG=2 rc11 rf violation race 71
// check: -DBUG=2 sc rf violation assertion 64
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif

typedef struct {
    atomic_int state;
} rwlock;

static void read_lock(rwlock *lock) {
#if BUG == 2
    atomic_fetch_add_explicit(&lock->state, 1, memory_order_acquire);
#else
    for (;;) {
        int seen = atomic_load_explicit(&lock->state, memory_order_relaxed);
        if (seen >= 0 && atomic_compare_exchange_weak_explicit(&lock->state, &seen, seen + 1, memory_order_acquire,
                                                               memory_order_relaxed))
            return;
    }
#endif
}

static void read_unlock(rwlock *lock) {
#if BUG == 1
    atomic_fetch_sub_explicit(&lock->state, 1, memory_order_relaxed);
#else
    atomic_fetch_sub_explicit(&lock->state, 1, memory_order_release);
#endif
}

static bool try_write_lock(rwlock *lock) {
    int unheld = 0;
    return atomic_compare_exchange_strong_explicit(&lock->state, &unheld, -1, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void write_lock(rwlock *lock) {
    while (!try_write_lock(lock))
        ;
}

static void write_unlock(rwlock *lock) { atomic_store_explicit(&lock->state, 0, memory_order_release); }

static rwlock lock;
static int left = 1, right = 1;

static void *reader(void *unused) {
    read_lock(&lock);
    assert(left == right);
    read_unlock(&lock);
    return unused;
}

static void *writer(void *unused) {
    write_lock(&lock);
    left++;
    right++;
    write_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(left == 2 && right == 2);
    return 0;
}
