// A loop that changes state in every iteration.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop, rounds;

static void *worker(void *unused) {
    while (!atomic_load(&stop))
        atomic_fetch_add(&rounds, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
}
