// What the programs of this folder share: loads acquire, stores release, read-modify-writes do both; a group of
// threads is created in the order of their numbers and joined.
#ifndef RA_H
#define RA_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LOAD(cell) atomic_load_explicit(&(cell), memory_order_acquire)
#define STORE(cell, value) atomic_store_explicit(&(cell), (value), memory_order_release)
#define ADD(cell, value) atomic_fetch_add_explicit(&(cell), (value), memory_order_acq_rel)
#define SWAP(cell, value) atomic_exchange_explicit(&(cell), (value), memory_order_acq_rel)

// Compare-and-swap: whether it took place.
#define CAS(cell, old, new) \
    atomic_compare_exchange_strong_explicit(&(cell), &(int){old}, (new), memory_order_acq_rel, memory_order_acquire)

// The number of a thread, from what it is given.
static inline int number(void *argument) {
    return (int)(intptr_t)argument;
}

static inline void create(pthread_t *threads, int first, int count, void *(*body)(void *)) {
    for (int i = 0; i < count; i++)
        pthread_create(&threads[first + i], NULL, body, (void *)(intptr_t)i);
}

static inline void join(pthread_t *threads, int count) {
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

#endif
