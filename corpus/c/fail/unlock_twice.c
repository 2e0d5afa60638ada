// A mutex is unlocked that is not held.
//
// check: rc11 rf violation lock-misuse 11
#include <pthread.h>

int main(void) {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
