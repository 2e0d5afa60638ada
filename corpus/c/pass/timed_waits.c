// check: rc11 rf verified
// check: sc rf verified
//
// Everything of pthreads that waits with a limit, and attributes: the time may be over at any moment, or not.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int flag, n_serial;

static void meet(void) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        __atomic_fetch_add(&n_serial, 1, __ATOMIC_SEQ_CST);
}

static void *worker(void *unused) {
    struct timespec soon = {0, 0};
    clock_gettime(CLOCK_REALTIME, &soon);
    pthread_mutex_lock(&plain);
    while (!flag) {
        int code = pthread_cond_timedwait(&cond, &plain, &soon);
        assert(code == 0 || code == ETIMEDOUT);
        flag = 1;
    }
    pthread_mutex_unlock(&plain);
    if (pthread_mutex_timedlock(&plain, &soon) == 0)
        pthread_mutex_unlock(&plain);
    if (pthread_rwlock_timedrdlock(&rwlock, &soon) == 0)
        pthread_rwlock_unlock(&rwlock);
    if (pthread_rwlock_timedwrlock(&rwlock, &soon) == 0)
        pthread_rwlock_unlock(&rwlock);
    if (sem_timedwait(&semaphore, &soon) == 0)
        sem_post(&semaphore);
    else
        assert(errno == ETIMEDOUT);
    meet();
    return 0;
}

static void initialise(void) {
    pthread_mutexattr_t mutex_attributes;
    int kind;
    pthread_mutexattr_init(&mutex_attributes);
    pthread_mutexattr_settype(&mutex_attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutexattr_gettype(&mutex_attributes, &kind);
    assert(kind == PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &mutex_attributes);
    pthread_mutexattr_destroy(&mutex_attributes);
    pthread_rwlockattr_t rwlock_attributes;
    pthread_rwlockattr_init(&rwlock_attributes);
    pthread_rwlock_init(&rwlock, &rwlock_attributes);
    pthread_barrierattr_t barrier_attributes;
    pthread_barrierattr_init(&barrier_attributes);
    pthread_barrier_init(&barrier, &barrier_attributes, 2);
    sem_init(&semaphore, 0, 1);
}

int main(void) {
    initialise();
    assert(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_trylock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
    assert(pthread_mutex_unlock(&checking) == 0 && pthread_mutex_unlock(&checking) == EPERM);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_t t;
    pthread_create(&t, &attributes, worker, 0);
    meet();
    pthread_join(t, 0);
    assert(n_serial == 1 && flag == 1);
    return 0;
}
