// The number of items may still be zero.
//
// check: rc11 rf violation division-by-zero 17
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n_items;

static void *producer(void *unused) {
    atomic_fetch_add(&n_items, 2);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    int share = 10 / atomic_load(&n_items);
    pthread_join(thread, NULL);
    return share;
}
