// check: ra rf violation race
// check: rc11 rf violation race
// check: sc rf verified
//
// A lock that keeps two threads apart under sc only. Under ra they race, but not in those executions in which one reads
// what the other has written: there the read happens after the write.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *worker(void *argument) {
    int me = argument != NULL;
    atomic_store_explicit(&wants[me], 1, memory_order_release);
    atomic_store_explicit(&turn, !me, memory_order_release);
    while (atomic_load_explicit(&wants[!me], memory_order_acquire) &&
           atomic_load_explicit(&turn, memory_order_acquire) == !me)
        ;
    inside = inside + 1;
    inside = inside - 1;
    atomic_store_explicit(&wants[me], 0, memory_order_release);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, worker, NULL);
    pthread_create(&threads[1], NULL, worker, &inside);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
