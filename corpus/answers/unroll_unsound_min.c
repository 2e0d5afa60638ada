#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int flag;
static void *w(void *u) { atomic_store_explicit(&flag, 1, memory_order_release); return u; }
static void *r(void *u) {
    int attempt = 0;
    while (!atomic_load_explicit(&flag, memory_order_acquire)) {
        ++attempt;
        assert(attempt < 4);
    }
    return u;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, w, 0);
    pthread_create(&b, 0, r, 0);
    pthread_join(a, 0); pthread_join(b, 0);
}
