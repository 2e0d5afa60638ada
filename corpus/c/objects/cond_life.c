// The life of a condition variable, and of the threads that wait for it.
//
// check: -DCODES rc11 rf verified
// check: -DTWICE rc11 rf violation lock-misuse
// check: -DSIGNAL_DESTROYED rc11 rf violation lock-misuse
// check: -DBROADCAST_DESTROYED rc11 rf violation lock-misuse
// check: -DWAIT_DESTROYED sc rf violation lock-misuse
// check: -DTIMEDWAIT_DESTROYED rc11 rf violation lock-misuse
// check: -DDESTROY_TWICE rc11 rf violation lock-misuse
// check: -DDESTROY_WAITED_FOR rc11 rf violation lock-misuse
// check: -DDESTROY_WAITED_FOR tso co violation lock-misuse
// check: -DINIT_WAITED_FOR rc11 rf violation lock-misuse
// check: -DTWO_MUTEXES rc11 rf violation lock-misuse
// check: -DNOT_LOCKED rc11 rf violation lock-misuse
// check: -DFREED_AFTER_BROADCAST rc11 rf verified
// check: -DFREED_AFTER_BROADCAST -DTIMED rc11 rf verified
// check: -DFREED_AFTER_BROADCAST -DTIMED sc rf verified
// check: -DTIMED_ONLY rc11 rf verified
// check: -DGRANDCHILDREN rc11 rf verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static struct timespec soon = {1, 0};
static int ready;

static void *waits(void *unused) {
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *waits_with_other(void *unused) {
    pthread_mutex_lock(&other);
    pthread_cond_timedwait(&c, &other, &soon);
    pthread_mutex_unlock(&other);
    return unused;
}

static pthread_cond_t *heap;

static void *leaves(void *unused) {
    pthread_mutex_lock(&m);
    while (!ready)
#ifdef TIMED
        if (pthread_cond_timedwait(heap, &m, &soon) == ETIMEDOUT)
            break;
#else
        pthread_cond_wait(heap, &m);
#endif
    pthread_mutex_unlock(&m);
    return unused;
}

static void *parent(void *unused) {
    pthread_t t;
    pthread_create(&t, 0, waits, 0);
    pthread_join(t, 0);
    return unused;
}

int main(void) {
    struct timespec wrong = {1, 1000000000};
    pthread_t t, u;
    (void)wrong, (void)t, (void)u, (void)other, (void)heap;
    (void)waits, (void)waits_with_other, (void)leaves, (void)parent;
#ifdef CODES
    for (int round = 0; round < 2; round++) {
        assert(pthread_cond_signal(&c) == 0);
        assert(pthread_cond_broadcast(&c) == 0);
        pthread_mutex_lock(&m);
        assert(pthread_cond_timedwait(&c, &m, &soon) == ETIMEDOUT);
        assert(pthread_cond_timedwait(&c, &m, &wrong) == EINVAL);
        pthread_mutex_unlock(&m);
        assert(pthread_cond_destroy(&c) == 0);
        assert(pthread_cond_init(&c, 0) == 0);
    }
#elif defined TWICE
    pthread_cond_init(&c, 0);
    pthread_cond_init(&c, 0);
#elif defined SIGNAL_DESTROYED
    pthread_cond_destroy(&c);
    pthread_cond_signal(&c);
#elif defined BROADCAST_DESTROYED
    pthread_cond_destroy(&c);
    pthread_cond_broadcast(&c);
#elif defined WAIT_DESTROYED
    pthread_cond_destroy(&c);
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
#elif defined TIMEDWAIT_DESTROYED
    pthread_cond_destroy(&c);
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&c, &m, &soon);
#elif defined DESTROY_TWICE
    pthread_cond_destroy(&c);
    pthread_cond_destroy(&c);
#elif defined DESTROY_WAITED_FOR || defined INIT_WAITED_FOR
    pthread_create(&t, 0, waits, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
#ifdef INIT_WAITED_FOR
    pthread_cond_init(&c, 0);
#else
    pthread_cond_destroy(&c);
#endif
#elif defined TWO_MUTEXES
    pthread_create(&t, 0, waits, 0);
    pthread_create(&u, 0, waits_with_other, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    pthread_join(u, 0);
#elif defined NOT_LOCKED
    pthread_cond_wait(&c, &m);
#elif defined FREED_AFTER_BROADCAST
    heap = malloc(sizeof *heap);
    pthread_cond_init(heap, 0);
    pthread_create(&t, 0, leaves, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(heap);
    pthread_mutex_unlock(&m);
    pthread_cond_destroy(heap);
    free(heap);
    pthread_join(t, 0);
#elif defined TIMED_ONLY
    pthread_create(&t, 0, waits_with_other, 0);
    pthread_create(&u, 0, waits_with_other, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_cond_destroy(&c);
#elif defined GRANDCHILDREN
    pthread_create(&t, 0, parent, 0);
    pthread_create(&u, 0, parent, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    pthread_join(u, 0);
#else
#error "no case"
#endif
    return 0;
}
