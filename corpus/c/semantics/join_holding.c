// A thread is joined by one that keeps from it what it waits for: a mutex, a signal, a semaphore, a barrier, a flag.
// expect: sc,tso,ra,rc11 -- -DMUTEX => violation deadlock
// expect: sc,tso,ra,rc11 -- -DMUTEX -DEARLY => verified
// expect: sc,pso,sra,rc11 -- -DCONDITION => violation deadlock
// expect: sc,pso,sra,rc11 -- -DCONDITION -DEARLY => verified
// expect: sc,tso,ra,rc11 -- -DSEMAPHORE => violation deadlock
// expect: sc,tso,ra,rc11 -- -DSEMAPHORE -DEARLY => verified
// expect: sc,pso,ra,rc11 -- -DBARRIER => violation deadlock
// expect: sc,pso,ra,rc11 -- -DBARRIER -DEARLY => verified
// expect: all -- -DFLAG => violation non-termination
// expect: all -- -DFLAG -DEARLY => verified
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static atomic_int flag;
static int is_set;

static void prepare(void) {
#if defined MUTEX
    pthread_mutex_lock(&mutex);
#elif defined SEMAPHORE
    sem_init(&semaphore, 0, 0);
#elif defined BARRIER
    pthread_barrier_init(&barrier, 0, 2);
#endif
}
static void await(void) {
#if defined MUTEX
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#elif defined CONDITION
    pthread_mutex_lock(&mutex);
    while (!is_set) pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
#elif defined SEMAPHORE
    sem_wait(&semaphore);
#elif defined BARRIER
    pthread_barrier_wait(&barrier);
#else
    while (!flag) {}
#endif
}
static void give(void) {
#if defined MUTEX
    pthread_mutex_unlock(&mutex);
#elif defined CONDITION
    pthread_mutex_lock(&mutex);
    is_set = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
#elif defined SEMAPHORE
    sem_post(&semaphore);
#elif defined BARRIER
    pthread_barrier_wait(&barrier);
#else
    flag = 1;
#endif
}
static void *child(void *u) {
    await();
    return u;
}
int main(void) {
    pthread_t thread;
    prepare();
    pthread_create(&thread, 0, child, 0);
#ifdef EARLY
    give();
#endif
    pthread_join(thread, 0);
#ifndef EARLY
    give();
#endif
    return 0;
}
