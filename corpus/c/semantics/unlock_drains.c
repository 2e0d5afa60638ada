// To unlock a mutex is an exchange in the C library: under tso and pso nothing that comes later overtakes it.
// expect: sc,tso,pso -- -DTRYLOCK => verified
// expect: tso,pso --mapping raw -- -DTRYLOCK => verified
// expect: rc11 -- -DTRYLOCK => violation assertion
// expect: sc,tso,pso -- -DDESTROY => verified
// expect: tso,pso --mapping raw -- -DDESTROY => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int y;
static int seen, is_busy;
#ifdef TRYLOCK
static void *first(void *u) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    seen = atomic_load_explicit(&y, memory_order_relaxed);
    return u;
}
static void *second(void *u) {
    atomic_store(&y, 1);
    is_busy = pthread_mutex_trylock(&mutex) != 0;
    if (!is_busy) pthread_mutex_unlock(&mutex);
    return u;
}
#else
static void *first(void *u) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    if (atomic_load_explicit(&y, memory_order_relaxed)) pthread_mutex_destroy(&mutex);
    return u;
}
static void *second(void *u) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return u;
}
#endif
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(!(is_busy && !seen));
    return 0;
}
