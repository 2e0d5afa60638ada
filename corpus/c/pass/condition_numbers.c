// A condition variable is used again and again, and signalled without its mutex: signals that no thread waits for are
// lost, those that a thread waits for are not, and a wait with a time limit may end either way.
//
// check: rc11 rf verified
// check: sc co verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int turn;

static void pass_on(int from) {
    pthread_mutex_lock(&mutex);
    while (turn != from)
        pthread_cond_wait(&changed, &mutex);
    turn++;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&changed);
}

static void *odd(void *unused) {
    for (int i = 1; i < 6; i += 2)
        pass_on(i);
    return unused;
}

int main(void) {
    pthread_cond_init(&changed, NULL);
    pthread_cond_signal(&changed);
    pthread_t thread;
    pthread_create(&thread, NULL, odd, NULL);
    for (int i = 0; i < 6; i += 2)
        pass_on(i);
    pthread_mutex_lock(&mutex);
    struct timespec never = {0, 0};
    int code = 0;
    while (turn < 6 && code == 0)
        code = pthread_cond_timedwait(&changed, &mutex, &never);
    assert(code == 0 || code == ETIMEDOUT);
    assert(turn == 6 || code == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(turn == 6);
    pthread_cond_destroy(&changed);
    return 0;
}
