// A mutex as C libraries build it on futexes. The word is 0 when free, 1 when taken, and 2 when taken and a thread
// may sleep; only then does the owner ask the kernel to wake a sleeper. The kernel is modelled by a condition
// variable: futex_wait falls asleep only if the word still has the expected value, in one step with that look.
//
// BUG=1: a woken thread takes the mutex with 1, and forgets the other sleepers.
// BUG=2: futex_wait does not look at the word, and misses a wake-up that came just before.
// BUG=3: unlocking stores 0 with a relaxed exchange.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock 36
// check: -DBUG=1 rc11 rf violation deadlock 36
// check: -DBUG=2 rc11 rf violation deadlock 33
// check: -DBUG=3 rc11 rf violation race 84
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#define THREADS (BUG == 1 ? 3 : 2)

static pthread_mutex_t kernel = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sleepers = PTHREAD_COND_INITIALIZER;

static void futex_wait(atomic_int *word, int expected) {
    pthread_mutex_lock(&kernel);
#if BUG == 2
    (void)expected;
    (void)word;
    pthread_cond_wait(&sleepers, &kernel);
#else
    if (atomic_load_explicit(word, memory_order_relaxed) == expected)
        pthread_cond_wait(&sleepers, &kernel);
#endif
    pthread_mutex_unlock(&kernel);
}

static void futex_wake_one(atomic_int *word) {
    (void)word;
    pthread_mutex_lock(&kernel);
    pthread_cond_signal(&sleepers);
    pthread_mutex_unlock(&kernel);
}

typedef struct {
    atomic_int word;
} mutex;

static void mutex_lock(mutex *m) {
    int free_word = 0;
    if (atomic_compare_exchange_strong_explicit(&m->word, &free_word, 1, memory_order_acquire, memory_order_relaxed))
        return;
#if BUG == 1
    do {
        int taken = 1;
        atomic_compare_exchange_strong_explicit(&m->word, &taken, 2, memory_order_relaxed, memory_order_relaxed);
        futex_wait(&m->word, 2);
        free_word = 0;
    } while (!atomic_compare_exchange_strong_explicit(&m->word, &free_word, 1, memory_order_acquire,
                                                      memory_order_relaxed));
#else
    while (atomic_exchange_explicit(&m->word, 2, memory_order_acquire) != 0)
        futex_wait(&m->word, 2);
#endif
}

static void mutex_unlock(mutex *m) {
#if BUG == 3
    if (atomic_exchange_explicit(&m->word, 0, memory_order_relaxed) == 2)
#else
    if (atomic_exchange_explicit(&m->word, 0, memory_order_release) == 2)
#endif
        futex_wake_one(&m->word);
}

static mutex lock;
static int counter;

static void *worker(void *unused) {
    mutex_lock(&lock);
    counter++;
    mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
