// Polls a flag under a mutex.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *poller(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        int is_done = done;
        pthread_mutex_unlock(&mutex);
        if (is_done)
            break;
    }
    return unused;
}

static void *worker(void *unused) {
#ifndef NEVER
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, poller, NULL);
    pthread_create(&threads[1], NULL, worker, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
