// Every kind of lock once, in one execution: the report names the calls, not the accesses that they make.
//
// check: rc11 rf violation assertion 47
// check: tso rf violation assertion 47
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static int ready, x;

static void *worker(void *arg) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    sem_post(&semaphore);
    pthread_spin_lock(&spin);
    x++;
    pthread_spin_unlock(&spin);
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_spin_init(&spin, 0);
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    sem_wait(&semaphore);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, 0);
    assert(x == 2);
}
