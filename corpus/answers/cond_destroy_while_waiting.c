#include <pthread.h>
#include <assert.h>
pthread_mutex_t m;
pthread_cond_t c;
int x;
static void *p(void *u) {
    pthread_mutex_lock(&m);
    if (!x) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return u;
}
int main(void) {
    pthread_t t;
    pthread_mutex_init(&m, 0);
    pthread_cond_init(&c, 0);
    pthread_create(&t, 0, p, 0);
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    assert(pthread_cond_destroy(&c) == 0);
    return 0;
}
