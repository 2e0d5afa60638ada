// The end of a thread ends the life of its variables, however it ends.
//
// check: -DRETURN rc11 rf violation use-after-free
// check: -DEXIT rc11 rf violation use-after-free
// check: -DEXIT sc rf violation use-after-free
// check: -DEXIT_IN_CALLEE rc11 rf violation use-after-free
// check: -DEXIT_ARRAY rc11 rf violation use-after-free
// check: -DEXIT_CALLER_ARRAY rc11 rf violation use-after-free
// check: -DEXIT -DEARLY rc11 rf verified
// check: -DEXIT_IN_CALLEE -DEARLY rc11 rf verified
// check: -DTHREAD_LOCAL rc11 rf violation use-after-free
// check: -DTHREAD_LOCAL sc rf violation use-after-free
// check: -DTHREAD_LOCAL -DEARLY rc11 rf verified
// check: -DTHREAD_LOCAL_EXIT tso co violation use-after-free
// check: -DTHREAD_LOCAL_FIELD ra co violation use-after-free
// check: -DTHREAD_LOCAL_RMW rc11 rf violation use-after-free
// check: -DTHREAD_LOCAL_RMW tso rf violation use-after-free
// check: -DTHREAD_LOCAL_RMW -DEARLY pso rf verified
// check: -DTHREAD_LOCAL_COPY rc11 rf violation use-after-free
// check: -DTHREAD_LOCAL_COPY -DEARLY rc11 rf verified
// check: -DTHREAD_LOCAL_MUTEX rc11 rf violation use-after-free
// check: -DMAIN_EXITS rc11 rf violation use-after-free
// check: -DMAIN_THREAD_LOCAL rc11 rf violation use-after-free
// check: -DMAIN_CALLS_EXIT rc11 rf verified
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int a, b;
    long c[2];
};

static _Atomic(void *) p;
static sem_t published, used;
static _Thread_local struct pair local;
static _Thread_local atomic_int number;
static _Thread_local pthread_mutex_t mutex;
static struct pair copy;

static void publish(void *address) {
    p = address;
    sem_post(&published);
#ifdef EARLY
    sem_wait(&used);
#endif
}

static void leave(int *address) {
    publish(address);
    pthread_exit(0);
}

static void *thread(void *unused) {
    (void)leave;
#ifdef RETURN
    int x = 0;
    publish(&x);
#elif defined EXIT
    int x = 0;
    publish(&x);
    pthread_exit(0);
#elif defined EXIT_IN_CALLEE
    int x = 0;
    leave(&x);
#elif defined EXIT_ARRAY
    int n = unused ? 3 : 2;
    int array[n];
    array[1] = 1;
    publish(&array[1]);
    pthread_exit(0);
#elif defined EXIT_CALLER_ARRAY
    int n = unused ? 3 : 2;
    int array[n];
    array[1] = 1;
    leave(&array[1]);
#elif defined THREAD_LOCAL || defined THREAD_LOCAL_COPY
    local.a = 1;
    publish(&local);
#elif defined THREAD_LOCAL_EXIT
    publish(&local);
    pthread_exit(0);
#elif defined THREAD_LOCAL_FIELD
    publish(&local.b);
#elif defined THREAD_LOCAL_RMW
    publish(&number);
#elif defined THREAD_LOCAL_MUTEX
    publish(&mutex);
#elif defined MAIN_EXITS || defined MAIN_CALLS_EXIT || defined MAIN_THREAD_LOCAL
    sem_wait(&published);
    *(int *)p = 2;
#endif
    return unused;
}

int main(void) {
    pthread_t t;
    (void)local, (void)number, (void)mutex, (void)copy;
    sem_init(&published, 0, 0);
    sem_init(&used, 0, 0);
    pthread_create(&t, 0, thread, 0);
#if defined MAIN_EXITS
    int x = 0;
    publish(&x);
    pthread_exit(0);
#elif defined MAIN_THREAD_LOCAL
    publish(&local.a);
    pthread_exit(0);
#elif defined MAIN_CALLS_EXIT
    int x = 0;
    publish(&x);
    exit(0);
#else
    sem_wait(&published);
#ifdef THREAD_LOCAL_RMW
    atomic_fetch_add((atomic_int *)p, 1);
#elif defined THREAD_LOCAL_COPY
    memcpy(&copy, p, sizeof copy);
#elif defined THREAD_LOCAL_MUTEX
    pthread_mutex_lock((pthread_mutex_t *)p);
    pthread_mutex_unlock((pthread_mutex_t *)p);
#else
    *(int *)p = 42;
#endif
    sem_post(&used);
    pthread_join(t, 0);
#endif
    return 0;
}
