// Three mistakes: a stale value, a race, and a division.
//
// check: rc11 rf violation division-by-zero 21
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, number;
static int plain;

static void *writer(void *unused) {
    atomic_store_explicit(&number, 1, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    plain = 1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int share = 10 / atomic_load_explicit(&number, memory_order_relaxed);
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        plain += share;
        assert(plain == 11);
    }
    pthread_join(thread, NULL);
    return 0;
}
