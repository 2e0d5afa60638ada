// Recursive, error-checking and adaptive mutexes: what each call returns.
//
// check: -DKIND=PTHREAD_MUTEX_NORMAL -DSELF rc11 rf violation deadlock
// check: -DKIND=PTHREAD_MUTEX_DEFAULT -DSELF rc11 rf violation deadlock
// check: -DKIND=PTHREAD_MUTEX_ADAPTIVE_NP -DSELF rc11 rf violation deadlock
// check: -DKIND=PTHREAD_MUTEX_ADAPTIVE_NP -DTIMED rc11 rf verified
// check: -DSTATIC_ADAPTIVE rc11 rf violation deadlock
// check: -DKIND=PTHREAD_MUTEX_RECURSIVE -DSELF rc11 rf verified
// check: -DKIND=PTHREAD_MUTEX_ERRORCHECK -DSELF rc11 rf verified
// check: -DKIND=PTHREAD_MUTEX_NORMAL -DFOREIGN rc11 rf violation lock-misuse
// check: -DKIND=PTHREAD_MUTEX_ADAPTIVE_NP -DFOREIGN rc11 rf violation lock-misuse
// check: -DKIND=PTHREAD_MUTEX_RECURSIVE -DFOREIGN rc11 rf verified
// check: -DKIND=PTHREAD_MUTEX_ERRORCHECK -DFOREIGN rc11 rf verified
// check: -DKIND=PTHREAD_MUTEX_RECURSIVE -DDESTROYED rc11 rf violation lock-misuse
// check: -DKIND=PTHREAD_MUTEX_ERRORCHECK -DDESTROYED rc11 rf violation lock-misuse
// check: -DKIND=PTHREAD_MUTEX_ERRORCHECK -DUNLOCK_DESTROYED rc11 rf violation lock-misuse
// check: -DKIND=PTHREAD_MUTEX_RECURSIVE -DDESTROY_HELD rc11 rf violation lock-misuse
// check: -DKIND=PTHREAD_MUTEX_ERRORCHECK -DWAIT rc11 rf verified
// check: -DKIND=PTHREAD_MUTEX_RECURSIVE -DWAIT rc11 rf violation lock-misuse
// check: -DKIND=PTHREAD_MUTEX_NORMAL -DWAIT rc11 rf violation lock-misuse
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#ifndef KIND
#define KIND PTHREAD_MUTEX_NORMAL
#endif

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static const int kind = KIND;

static void *other(void *unused) {
    int code = pthread_mutex_trylock(&m);
    assert(code == EBUSY);
    code = pthread_mutex_unlock(&m);
    assert(code == EPERM);
    return unused;
}

int main(void) {
    struct timespec soon = {1, 0};
    pthread_mutexattr_t attributes;
    pthread_t t;
    int set;
    (void)soon, (void)other, (void)t, (void)c;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_settype(&attributes, 17) == EINVAL);
    assert(pthread_mutexattr_settype(&attributes, kind) == 0);
    pthread_mutexattr_gettype(&attributes, &set);
    assert(set == kind);
    pthread_mutex_init(&m, &attributes);
    pthread_mutexattr_destroy(&attributes);
#ifdef STATIC_ADAPTIVE
    static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    pthread_mutex_lock(&adaptive);
    pthread_mutex_lock(&adaptive);
#elif defined SELF
    int expected = kind == PTHREAD_MUTEX_RECURSIVE ? 0 : EDEADLK;
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&m) == expected);
    assert(pthread_mutex_timedlock(&m, &soon) == expected);
    assert(pthread_mutex_trylock(&m) == (kind == PTHREAD_MUTEX_RECURSIVE ? 0 : EBUSY));
    if (kind == PTHREAD_MUTEX_RECURSIVE)
        for (int n = 0; n < 3; n++)
            assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(pthread_mutex_destroy(&m) == 0);
#elif defined TIMED
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_timedlock(&m, &soon) == ETIMEDOUT);
#elif defined FOREIGN
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, other, 0);
    pthread_join(t, 0);
    pthread_mutex_unlock(&m);
#elif defined DESTROYED
    pthread_mutex_destroy(&m);
    pthread_mutex_lock(&m);
#elif defined UNLOCK_DESTROYED
    pthread_mutex_destroy(&m);
    pthread_mutex_unlock(&m);
#elif defined DESTROY_HELD
    pthread_mutex_lock(&m);
    pthread_mutex_destroy(&m);
#elif defined WAIT
    assert(pthread_cond_wait(&c, &m) == EPERM);
    assert(pthread_cond_timedwait(&c, &m, &soon) == EPERM);
#else
#error "no case"
#endif
    return 0;
}
