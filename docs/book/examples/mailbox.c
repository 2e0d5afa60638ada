// A sender fills a mailbox and raises a flag. The receiver waits for the flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

static int letter;
static atomic_int full;

static void *send(void *unused) {
    letter = 42;
    atomic_store_explicit(&full, 1, ORDER);
    return unused;
}

int main(void) {
    pthread_t sender;
    pthread_create(&sender, NULL, send, NULL);
    while (!atomic_load_explicit(&full, memory_order_acquire))
        ;
    assert(letter == 42);
    pthread_join(sender, NULL);
}
