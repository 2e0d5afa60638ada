// The flag that the loop waits for is never raised again.
//
// check: rc11 rf violation non-termination 18
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;

static void *other(void *unused) {
    atomic_store(&turn, 1);
    atomic_store(&turn, 0);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    while (atomic_load(&turn) != 1)
        ;
    pthread_join(thread, NULL);
    return 0;
}
