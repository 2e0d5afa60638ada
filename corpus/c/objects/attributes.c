// Attributes of mutexes, condition variables, read-write locks and barriers: what is set can be asked for again.
//
// check: -DCODES rc11 rf verified
// check: -DNEVER rc11 rf violation lock-misuse
// check: -DDESTROYED rc11 rf violation lock-misuse
// check: -DINIT_WITH_DESTROYED rc11 rf violation lock-misuse
// check: -DUNWRITTEN rc11 rf violation uninitialised
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutexattr_t a;
static pthread_mutex_t m;

int main(void) {
    int value;
    clockid_t clock;
    (void)value, (void)clock, (void)m, (void)a;
#ifdef CODES
    pthread_condattr_t c;
    pthread_rwlockattr_t r;
    pthread_barrierattr_t b;
    pthread_mutexattr_init(&a);
    assert(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT) == 0);
    assert(pthread_mutexattr_setprotocol(&a, 3) == EINVAL);
    assert(pthread_mutexattr_getprotocol(&a, &value) == 0 && value == PTHREAD_PRIO_INHERIT);
    assert(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_mutexattr_getpshared(&a, &value) == 0 && value == PTHREAD_PROCESS_SHARED);
    assert(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_STALLED) == 0);
    assert(pthread_mutexattr_gettype(&a, &value) == 0 && value == PTHREAD_MUTEX_DEFAULT);
    assert(pthread_mutexattr_setprioceiling(&a, 0) == EINVAL);
    assert(pthread_mutexattr_setprioceiling(&a, 9) == 0);
    assert(pthread_mutexattr_getprioceiling(&a, &value) == 0 && value == 9);
    pthread_mutex_init(&m, &a);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_condattr_init(&c);
    assert(pthread_condattr_setclock(&c, CLOCK_MONOTONIC) == 0);
    assert(pthread_condattr_setclock(&c, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
    assert(pthread_condattr_getclock(&c, &clock) == 0 && clock == CLOCK_MONOTONIC);
    pthread_rwlockattr_init(&r);
    assert(pthread_rwlockattr_setkind_np(&r, PTHREAD_RWLOCK_PREFER_READER_NP) == 0);
    assert(pthread_rwlockattr_setpshared(&r, 2) == EINVAL);
    pthread_barrierattr_init(&b);
    assert(pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_barrierattr_destroy(&b) == 0);
#elif defined NEVER
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_NORMAL);
#elif defined DESTROYED
    pthread_mutexattr_init(&a);
    pthread_mutexattr_destroy(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_NORMAL);
#elif defined INIT_WITH_DESTROYED
    pthread_mutexattr_init(&a);
    pthread_mutexattr_destroy(&a);
    pthread_mutex_init(&m, &a);
#elif defined UNWRITTEN
    pthread_mutexattr_t unwritten;
    pthread_mutex_init(&m, &unwritten);
#else
#error "no case"
#endif
    return 0;
}
