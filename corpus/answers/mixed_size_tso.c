#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define RLX memory_order_relaxed
union word { atomic_int w; atomic_char b; } x, y;
int a, b;
static void *p(void *u) {
    atomic_store_explicit(&x.w, 1, RLX);
    atomic_store_explicit(&x.b, 2, RLX);
    (void)atomic_load_explicit(&x.b, RLX);
    a = atomic_load_explicit(&y.w, RLX);
    return u;
}
static void *q(void *u) {
    atomic_store_explicit(&y.w, 1, RLX);
    atomic_store_explicit(&y.b, 2, RLX);
    (void)atomic_load_explicit(&y.b, RLX);
    b = atomic_load_explicit(&x.w, RLX);
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, p, 0);
    pthread_create(&t, 0, q, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a || b);
    return 0;
}
