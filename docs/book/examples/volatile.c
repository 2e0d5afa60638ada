// Code from before C11: volatile where it means an atomic variable.
#include <assert.h>
#include <pthread.h>

static volatile int stop, seen;

static void *worker(void *unused) {
    while (!stop)
        ;
    seen = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    stop = 1;
    pthread_join(thread, NULL);
    assert(seen);
}
