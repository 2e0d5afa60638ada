// A thread is cancelled where it waits; its handlers run and release what it holds.
//
// check: rc11 rf verified
// check: sc rf verified
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t never;
static int ready, order[4], n_order;
static pthread_key_t key;

static void unlock(void *mutex) {
    order[n_order++] = 1;
    pthread_mutex_unlock(mutex);
}

static void note(void *number) {
    order[n_order++] = (int)(long)number;
}

static void *waits(void *unused) {
    pthread_setspecific(key, (void *)3);
    pthread_cleanup_push(note, (void *)2);
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    while (!ready) pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(0);
    return (void *)7;
}

// Requests are kept while they are disabled.
static void *unwilling(void *unused) {
    int old, state = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_testcancel();
    usleep(1);
    state = 1;
    pthread_setcancelstate(old, NULL);
    sem_wait(&never);
    assert(!"not reached");
    return NULL;
}

int main(void) {
    pthread_key_create(&key, note);
    pthread_t t;
    void *value;
    pthread_create(&t, NULL, waits, NULL);
    pthread_cancel(t);
    pthread_join(t, &value);
    assert(value == PTHREAD_CANCELED);
    assert(pthread_mutex_trylock(&m) == 0);
    pthread_mutex_unlock(&m);
    assert(n_order == 3 && order[0] == 1 && order[1] == 2 && order[2] == 3);
    sem_init(&never, 0, 0);
    pthread_create(&t, NULL, unwilling, NULL);
    pthread_cancel(t);
    pthread_join(t, &value);
    assert(value == PTHREAD_CANCELED);
}
