// A thread that is cancelled does not take a signal away from another one: one of them always wakes.
//
// check: sc rf verified
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int tokens, taken;

static void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

static void *consumer(void *unused) {
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    while (tokens == 0) pthread_cond_wait(&c, &m);
    tokens--;
    taken++;
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    void *value;
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_cancel(a);
    pthread_mutex_lock(&m);
    tokens = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, &value);
    if (value == NULL) {
        // It was faster than the request; the other one needs a token, too.
        pthread_mutex_lock(&m);
        tokens++;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    pthread_join(b, NULL);
    assert(taken == (value == NULL ? 2 : 1));
}
