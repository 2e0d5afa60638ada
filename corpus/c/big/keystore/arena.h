/* Memory that is given out piece by piece and freed all at once. */
#ifndef ARENA_H
#define ARENA_H

#include "text.h"

#include <pthread.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
    pthread_mutex_t lock;
    struct arena_chunk *chunks; /* The one in use first. */
    size_t chunk_size;
    size_t n_chunks;
};

void arena_init(struct arena *arena, size_t chunk_size);
void arena_destroy(struct arena *arena);

/* Never fails: ends the program when there is no memory. Aligned for anything. */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_copy(struct arena *arena, struct slice slice);

#endif
