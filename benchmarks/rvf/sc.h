// What the programs of this folder share: every access of an atomic is sequentially consistent; a group of threads is
// created in the order of their numbers and joined.
#ifndef SC_H
#define SC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

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
