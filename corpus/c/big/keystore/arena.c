#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT (_Alignof(max_align_t))

struct arena_chunk {
    struct arena_chunk *next;
    size_t size, used;
    _Alignas(max_align_t) unsigned char bytes[];
};

static struct arena_chunk *new_chunk(size_t size) {
    struct arena_chunk *chunk = malloc(sizeof *chunk + size);
    if (chunk == NULL) {
        fputs("arena: out of memory\n", stderr);
        abort();
    }
    chunk->next = NULL;
    chunk->size = size;
    chunk->used = 0;
    return chunk;
}

static size_t round_up(size_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

void arena_init(struct arena *arena, size_t chunk_size) {
    pthread_mutex_init(&arena->lock, NULL);
    arena->chunks = NULL;
    arena->chunk_size = round_up(chunk_size);
    arena->n_chunks = 0;
}

void arena_destroy(struct arena *arena) {
    struct arena_chunk *chunk = arena->chunks;
    while (chunk != NULL) {
        struct arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    arena->chunks = NULL;
    pthread_mutex_destroy(&arena->lock);
}

/* The arena is locked. */
static struct arena_chunk *chunk_for(struct arena *arena, size_t size) {
    struct arena_chunk *first = arena->chunks;
    if (first != NULL && first->size - first->used >= size)
        return first;
    struct arena_chunk *chunk = new_chunk(size > arena->chunk_size ? size : arena->chunk_size);
    arena->n_chunks++;
    chunk->next = first;
    arena->chunks = chunk;
    return chunk;
}

void *arena_alloc(struct arena *arena, size_t size) {
    size = round_up(size != 0 ? size : 1);
    pthread_mutex_lock(&arena->lock);
    struct arena_chunk *chunk = chunk_for(arena, size);
    void *piece = chunk->bytes + chunk->used;
    chunk->used += size;
    pthread_mutex_unlock(&arena->lock);
    return piece;
}

char *arena_copy(struct arena *arena, struct slice slice) {
    char *copy = arena_alloc(arena, slice.length + 1);
    memcpy(copy, slice.start, slice.length);
    copy[slice.length] = '\0';
    return copy;
}
