// Waits for a flag, and yields after every ten attempts: the count goes in a circle.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static void *setter(void *unused) {
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *waiter(void *unused) {
    int attempt = 0;
    while (!atomic_load_explicit(&flag, memory_order_acquire)) {
        if (++attempt >= 10) {
            sched_yield();
            attempt = 0;
        }
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, setter, NULL);
    pthread_create(&threads[1], NULL, waiter, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
