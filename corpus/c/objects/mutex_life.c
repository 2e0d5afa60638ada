// The life of a mutex: what may be done with it when, and what each call returns.
//
// check: -DSTATIC rc11 rf verified
// check: -DCODES rc11 rf verified
// check: -DAGAIN rc11 rf verified
// check: -DTWICE rc11 rf violation lock-misuse
// check: -DLOCK_DESTROYED rc11 rf violation lock-misuse
// check: -DLOCK_DESTROYED tso co violation lock-misuse
// check: -DTRYLOCK_DESTROYED rc11 rf violation lock-misuse
// check: -DTIMEDLOCK_DESTROYED rc11 rf violation lock-misuse
// check: -DUNLOCK_DESTROYED rc11 rf violation lock-misuse
// check: -DDESTROY_TWICE rc11 rf violation lock-misuse
// check: -DDESTROY_HELD rc11 rf violation lock-misuse
// check: -DDESTROY_HELD_ELSEWHERE sc rf violation lock-misuse
// check: -DDESTROY_WAITED_FOR ra co violation lock-misuse
// check: -DSELF rc11 rf violation deadlock
// check: -DUNLOCK_FREE rc11 rf violation lock-misuse
// check: -DFREED_AFTER_USE rc11 rf verified
// check: -DUNWRITTEN rc11 rf violation uninitialised
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#ifdef FREED_AFTER_USE
struct shared {
    pthread_mutex_t lock;
    int users;
};

static void *drop(void *argument) {
    struct shared *shared = argument;
    pthread_mutex_lock(&shared->lock);
    int last = --shared->users == 0;
    pthread_mutex_unlock(&shared->lock);
    if (last) {
        pthread_mutex_destroy(&shared->lock);
        free(shared);
    }
    return 0;
}
#endif

static void *user(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    struct timespec soon = {1, 0}, wrong = {1, 1000000000};
    pthread_t t;
    (void)user, (void)soon, (void)wrong, (void)t;
#ifdef STATIC
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    assert(pthread_mutex_destroy(&m) == 0);
    assert(pthread_mutex_init(&m, 0) == 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#elif defined CODES
    assert(pthread_mutex_trylock(&m) == 0);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    assert(pthread_mutex_timedlock(&m, &soon) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(&m, &wrong) == EINVAL);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_timedlock(&m, &wrong) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_consistent(&m) == EINVAL);
#elif defined AGAIN
    for (int round = 0; round < 3; round++) {
        assert(pthread_mutex_init(&m, 0) == 0);
        assert(pthread_mutex_destroy(&m) == 0);
    }
#elif defined TWICE
    pthread_mutex_init(&m, 0);
    pthread_mutex_init(&m, 0);
#elif defined LOCK_DESTROYED
    pthread_mutex_destroy(&m);
    pthread_mutex_lock(&m);
#elif defined TRYLOCK_DESTROYED
    pthread_mutex_destroy(&m);
    pthread_mutex_trylock(&m);
#elif defined TIMEDLOCK_DESTROYED
    pthread_mutex_destroy(&m);
    pthread_mutex_timedlock(&m, &soon);
#elif defined UNLOCK_DESTROYED
    pthread_mutex_destroy(&m);
    pthread_mutex_unlock(&m);
#elif defined DESTROY_TWICE
    pthread_mutex_destroy(&m);
    pthread_mutex_destroy(&m);
#elif defined DESTROY_HELD
    pthread_mutex_lock(&m);
    pthread_mutex_destroy(&m);
#elif defined DESTROY_HELD_ELSEWHERE
    pthread_create(&t, 0, user, 0);
    pthread_mutex_destroy(&m);
    pthread_join(t, 0);
#elif defined DESTROY_WAITED_FOR
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, user, 0);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    pthread_join(t, 0);
#elif defined SELF
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
#elif defined UNLOCK_FREE
    pthread_mutex_unlock(&m);
#elif defined FREED_AFTER_USE
    struct shared *shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, 0);
    shared->users = 2;
    pthread_create(&t, 0, drop, shared);
    drop(shared);
    pthread_join(t, 0);
#elif defined UNWRITTEN
    pthread_mutex_t *unwritten = malloc(sizeof *unwritten);
    pthread_mutex_lock(unwritten);
#else
#error "no case"
#endif
    return 0;
}
