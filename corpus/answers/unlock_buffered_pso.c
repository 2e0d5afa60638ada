#include <pthread.h>
pthread_mutex_t m;
volatile int flag;
static void *p(void *u) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (flag) pthread_mutex_destroy(&m);
    return u;
}
int main(void) {
    pthread_t t;
    pthread_mutex_init(&m, 0);
    pthread_create(&t, 0, p, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    flag = 1;
    return 0;
}
