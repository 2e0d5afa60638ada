// Two threads wait, and only one of them is woken. With ALL defined, both are.
//
// check: rc11 rf violation deadlock 18
// check: sc co violation deadlock 18
// check: -DALL rc11 rf executions 10
// check: -DALL sc co executions 10
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *waiter(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex); /* The one that is not woken stays here. */
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    ready = true;
#ifdef ALL
    pthread_cond_broadcast(&condition);
#else
    pthread_cond_signal(&condition);
#endif
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
