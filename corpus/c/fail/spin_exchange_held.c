// A spin lock that is never given back: two threads exchange 1 for 1 forever.
//
// check: rc11 rf violation non-termination 14
// check: rc11 co violation non-termination 14
// check: sc rf violation non-termination 14
// check: tso rf violation non-termination 14
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static void *worker(void *unused) {
    int taken = 1;
    while (atomic_exchange(&lock, taken))
        ;
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
