#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
atomic_int y;
int seen, busy;
static void *p(void *u) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    seen = atomic_load_explicit(&y, memory_order_relaxed);
    return u;
}
static void *q(void *u) {
    atomic_store(&y, 1);
    busy = pthread_mutex_trylock(&m) != 0;
    if (!busy) pthread_mutex_unlock(&m);
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, p, 0);
    pthread_create(&t, 0, q, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(!(busy && !seen));
    return 0;
}
