// A compare-and-swap that is tried again with the value that it saw, beside N writes.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *writer(void *unused) {
    for (int i = 1; i <= N; i++)
        x = i;
    return unused;
}

static void *swapper(void *unused) {
    int seen = x;
    while (!atomic_compare_exchange_strong(&x, &seen, 100))
        ;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, swapper, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
