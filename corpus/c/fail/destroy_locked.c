// A mutex is destroyed while another thread may hold it.
//
// check: rc11 rf violation lock-misuse 17
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_destroy(&lock);
    pthread_join(thread, NULL);
    return 0;
}
