// A driver for a ring of two slots between one producer and one consumer: what goes in comes out, once and in order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif

enum { SLOTS = 2, ITEMS = 3 };

static int slots[SLOTS];
static atomic_uint n_in, n_out;

static bool put(int item) {
    unsigned in = atomic_load_explicit(&n_in, memory_order_relaxed);
    if (in - atomic_load_explicit(&n_out, memory_order_acquire) == SLOTS)
        return false;
    slots[in % SLOTS] = item;
    atomic_store_explicit(&n_in, in + 1, PUBLISH);
    return true;
}

static bool take(int *item) {
    unsigned out = atomic_load_explicit(&n_out, memory_order_relaxed);
    if (out == atomic_load_explicit(&n_in, memory_order_acquire))
        return false;
    *item = slots[out % SLOTS];
    atomic_store_explicit(&n_out, out + 1, memory_order_release);
    return true;
}

static void *producer(void *unused) {
    for (int item = 1; item <= ITEMS; item++)
        while (!put(item))
            ; // The ring is full.
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    for (int expected = 1; expected <= ITEMS; expected++) {
        int item;
        while (!take(&item))
            ; // The ring is empty.
        assert(item == expected);
    }
    pthread_join(thread, NULL);
}
