// Condition variables, semaphores, barriers, once, keys, read-write locks and the heap, each used rightly.
//
// check: sc rf verified
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t semaphore;
static char *text;
static int n_initialised, n_destroyed;

static void destroy(void *value) {
    pthread_rwlock_wrlock(&rwlock);
    n_destroyed += *(int *)value;
    pthread_rwlock_unlock(&rwlock);
    free(value);
}

static void initialise(void) {
    pthread_key_create(&key, destroy);
    n_initialised++;
}

static void *worker(void *argument) {
    pthread_once(&once, initialise);
    int *mine = malloc(sizeof *mine);
    *mine = (int)(long)argument;
    pthread_setspecific(key, mine);
    sem_wait(&semaphore);
    sem_post(&semaphore);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    if (!text)
        text = strdup("hello");
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    assert(*(int *)pthread_getspecific(key) == (int)(long)argument);
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, NULL, worker, (void *)5L);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    while (!text)
        pthread_cond_wait(&filled, &mutex);
    assert(strcmp(text, "hello") == 0 && strlen(text) == 5);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, &result);
    printf("%ld\n", (long)result);
    assert((long)result == 5 && n_initialised == 1 && n_destroyed == 5);
    free(text);
    return 0;
}
