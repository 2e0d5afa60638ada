// check: rc11 rf violation assertion 27
// check: sc co violation assertion 27
// options: --spurious-wakeups
//
// `if` instead of `while`: wrong only if waiting may end without a signal.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *signaller(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, signaller, 0);
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_wait(&cond, &lock);
    assert(ready);
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
