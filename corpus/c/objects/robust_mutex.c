// Robust mutexes: the next thread learns that the owner has died, repairs what the mutex protects, or loses the mutex.
//
// check: rc11 rf verified
// check: sc rf verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m, lost, recursive;
static int data;

static void init(pthread_mutex_t *mutex, int type) {
    pthread_mutexattr_t attributes;
    int robust = -1;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    assert(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    assert(pthread_mutexattr_getrobust(&attributes, &robust) == 0 && robust == PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void *dies(void *mutex) {
    int code = pthread_mutex_lock(mutex);
    assert(code == 0 || code == EOWNERDEAD);
    if (code == EOWNERDEAD) assert(pthread_mutex_consistent(mutex) == 0);
    data++;
    return NULL;
}

static void *exits(void *mutex) {
    int code = pthread_mutex_lock(mutex);
    assert(code == 0 || code == EOWNERDEAD);
    pthread_exit(NULL);
}

static void *waits(void *mutex) {
    int code = pthread_mutex_lock(mutex);
    assert(code == ENOTRECOVERABLE || code == EOWNERDEAD);
    if (code == EOWNERDEAD) assert(pthread_mutex_unlock(mutex) == 0);
    return NULL;
}

static void run(void *(*first)(void *), void *(*second)(void *), pthread_mutex_t *mutex) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, mutex);
    pthread_create(&b, NULL, second, mutex);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

int main(void) {
    init(&m, PTHREAD_MUTEX_NORMAL);
    assert(pthread_mutex_consistent(&m) == EINVAL);
    assert(pthread_mutex_unlock(&m) == EPERM);
    run(dies, dies, &m);
    assert(pthread_mutex_trylock(&m) == EOWNERDEAD);
    assert(data == 2);
    assert(pthread_mutex_consistent(&m) == 0);
    assert(pthread_mutex_consistent(&m) == EINVAL);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_destroy(&m) == 0);

    init(&lost, PTHREAD_MUTEX_ERRORCHECK);
    pthread_t t;
    pthread_create(&t, NULL, exits, &lost);
    pthread_join(t, NULL);
    run(waits, waits, &lost);
    assert(pthread_mutex_lock(&lost) == ENOTRECOVERABLE);
    assert(pthread_mutex_trylock(&lost) == ENOTRECOVERABLE);
    assert(pthread_mutex_consistent(&lost) == EINVAL);
    assert(pthread_mutex_destroy(&lost) == 0);

    init(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_create(&t, NULL, dies, &recursive);
    pthread_join(t, NULL);
    assert(pthread_mutex_lock(&recursive) == EOWNERDEAD);
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_consistent(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
}
