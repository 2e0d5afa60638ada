// A writer fills in a message and raises a flag; a reader that sees the flag reads the message.
// The flag is raised with a relaxed store, so the message may arrive later: the assertion can fail.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

static atomic_int message, ready;

static void *writer(void *unused) {
    atomic_store_explicit(&message, 42, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, ORDER); // memory_order_release would be right
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(atomic_load_explicit(&message, memory_order_relaxed) == 42);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
