/* A hash map from strings to buffers, with one lock for each stripe of its buckets. */
#ifndef MAP_H
#define MAP_H

#include "arena.h"
#include "buffer.h"

#include <pthread.h>

#define MAP_STRIPES 2
#define MAP_BUCKETS 4

struct map_entry {
    struct map_entry *next;
    uint32_t hash;
    char *key; /* In the arena, as the entry is. */
    struct buffer *value;
};

struct map {
    struct arena *arena;
    struct map_stripe {
        pthread_rwlock_t lock;
        struct map_entry *buckets[MAP_BUCKETS];
        struct map_entry *unused; /* Entries to be used again. */
        size_t n_entries;
    } stripes[MAP_STRIPES];
};

void map_init(struct map *map, struct arena *arena);
void map_destroy(struct map *map);

/* The value, owned by the caller, or NULL. */
struct buffer *map_get(struct map *map, struct slice key);

/* Takes the caller's reference to the value. Gives the old value, if any, to the caller. */
struct buffer *map_put(struct map *map, struct slice key, struct buffer *value);
bool map_remove(struct map *map, struct slice key);

/* Replaces the value by what `update` makes of it, with the stripe locked. */
typedef struct buffer *map_update(struct buffer *old, void *context);
void map_modify(struct map *map, struct slice key, map_update *update, void *context);

size_t map_size(struct map *map);

typedef void map_visit(const char *key, const struct buffer *value, void *context);
void map_for_each(struct map *map, map_visit *visit, void *context);

#endif
