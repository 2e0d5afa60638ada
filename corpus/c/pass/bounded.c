// Two loops: one with a number of iterations, one that waits.
//
// check: rc11 rf verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int total;

static inline void add(int n) {
    for (int i = 0; i < n; i++)
        atomic_fetch_add(&total, 1);
}

static void *worker(void *unused) {
    add(4);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    while (atomic_load(&total) == 0)
        ;
    add(1);
    pthread_join(thread, NULL);
    assert(atomic_load(&total) == 5);
    return 0;
}
