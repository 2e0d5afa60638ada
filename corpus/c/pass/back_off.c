// check: rc11 rf verified
// check: rc11 co verified
// check: sc co verified
// check: tso rf verified
// check: pso rf verified
// check: -DHELD rc11 rf violation deadlock
// check: -DHELD sc co violation deadlock
// check: -DCOUNTED rc11 rf violation assertion

#include <assert.h>
#include <pthread.h>

// Two threads take two mutexes in opposite orders. A thread that does not get its second one lets go of the first and
// starts over.

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;
#ifdef COUNTED
static _Atomic int n_failed;
#endif

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
    for (int tries = 0;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            return;
        pthread_mutex_unlock(first);
#ifdef COUNTED
        n_failed++;
        if (++tries == 2)
            pthread_exit(0);
#endif
    }
}

static void *forward(void *argument) {
    lock_both(&a, &b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return argument;
}

static void *backward(void *argument) {
    lock_both(&b, &a);
    n++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
}

int main(void) {
    pthread_t threads[2];
#ifdef HELD
    pthread_mutex_lock(&b);
#endif
    pthread_create(&threads[0], 0, forward, 0);
    pthread_create(&threads[1], 0, backward, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
#ifdef COUNTED
    // Each of the two may fail because of the other.
    assert(n_failed < 2);
#else
    assert(n == 2);
#endif
}
