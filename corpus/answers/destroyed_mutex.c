#include <pthread.h>
int main(void) {
    pthread_mutex_t l;
    pthread_mutex_init(&l, 0);
    pthread_mutex_destroy(&l);
    pthread_mutex_lock(&l); // undefined: the mutex is destroyed
    return 0;
}
