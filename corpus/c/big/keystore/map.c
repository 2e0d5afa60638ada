#include "map.h"

#include <string.h>

#ifndef BUG
#define BUG 0
#endif

static struct map_stripe *stripe_of(struct map *map, uint32_t hash) { return &map->stripes[hash % MAP_STRIPES]; }

static struct map_entry **bucket_of(struct map_stripe *stripe, uint32_t hash) {
    return &stripe->buckets[hash / MAP_STRIPES % MAP_BUCKETS];
}

/* The link that points to the entry with this key, or the last link of the bucket. */
static struct map_entry **find(struct map_stripe *stripe, uint32_t hash, struct slice key) {
    struct map_entry **link = bucket_of(stripe, hash);
    while (*link != NULL) {
        struct map_entry *entry = *link;
        if (entry->hash == hash && strlen(entry->key) == key.length &&
            memcmp(entry->key, key.start, key.length) == 0)
            break;
        link = &entry->next;
    }
    return link;
}

void map_init(struct map *map, struct arena *arena) {
    map->arena = arena;
    for (size_t i = 0; i < MAP_STRIPES; i++) {
        struct map_stripe *stripe = &map->stripes[i];
        pthread_rwlock_init(&stripe->lock, NULL);
        for (size_t j = 0; j < MAP_BUCKETS; j++)
            stripe->buckets[j] = NULL;
        stripe->unused = NULL;
        stripe->n_entries = 0;
    }
}

void map_destroy(struct map *map) {
    for (size_t i = 0; i < MAP_STRIPES; i++) {
        struct map_stripe *stripe = &map->stripes[i];
        for (size_t j = 0; j < MAP_BUCKETS; j++)
            for (struct map_entry *entry = stripe->buckets[j]; entry != NULL; entry = entry->next)
                buffer_release(entry->value);
        pthread_rwlock_destroy(&stripe->lock);
    }
}

struct buffer *map_get(struct map *map, struct slice key) {
    uint32_t hash = slice_hash(key);
    struct map_stripe *stripe = stripe_of(map, hash);
    pthread_rwlock_rdlock(&stripe->lock);
    struct map_entry *entry = *find(stripe, hash, key);
    struct buffer *value = entry != NULL ? entry->value : NULL;
#if BUG == 1
    /* Once the lock is released, another thread may replace the value and drop the last reference. */
    pthread_rwlock_unlock(&stripe->lock);
    return value != NULL ? buffer_retain(value) : NULL;
#else
    if (value != NULL)
        buffer_retain(value);
    pthread_rwlock_unlock(&stripe->lock);
    return value;
#endif
}

/* The stripe is locked. */
static struct map_entry *new_entry(struct map *map, struct map_stripe *stripe, uint32_t hash, struct slice key) {
    struct map_entry *entry = stripe->unused;
    if (entry != NULL)
        stripe->unused = entry->next;
    else
        entry = arena_alloc(map->arena, sizeof *entry);
    entry->next = NULL;
    entry->hash = hash;
    entry->key = arena_copy(map->arena, key);
    entry->value = NULL;
    stripe->n_entries++;
    return entry;
}

/* The stripe is locked. */
static struct map_entry *find_or_add(struct map *map, struct map_stripe *stripe, uint32_t hash, struct slice key) {
    struct map_entry **link = find(stripe, hash, key);
    if (*link == NULL)
        *link = new_entry(map, stripe, hash, key);
    return *link;
}

struct buffer *map_put(struct map *map, struct slice key, struct buffer *value) {
    uint32_t hash = slice_hash(key);
    struct map_stripe *stripe = stripe_of(map, hash);
    pthread_rwlock_wrlock(&stripe->lock);
    struct map_entry *entry = find_or_add(map, stripe, hash, key);
    struct buffer *old = entry->value;
    entry->value = value;
    pthread_rwlock_unlock(&stripe->lock);
    return old;
}

bool map_remove(struct map *map, struct slice key) {
    uint32_t hash = slice_hash(key);
    struct map_stripe *stripe = stripe_of(map, hash);
    pthread_rwlock_wrlock(&stripe->lock);
    struct map_entry **link = find(stripe, hash, key);
    struct map_entry *entry = *link;
    if (entry != NULL) {
        *link = entry->next;
        buffer_release(entry->value);
        entry->next = stripe->unused;
        stripe->unused = entry;
        stripe->n_entries--;
    }
    pthread_rwlock_unlock(&stripe->lock);
    return entry != NULL;
}

void map_modify(struct map *map, struct slice key, map_update *update, void *context) {
    uint32_t hash = slice_hash(key);
    struct map_stripe *stripe = stripe_of(map, hash);
    pthread_rwlock_wrlock(&stripe->lock);
    struct map_entry *entry = find_or_add(map, stripe, hash, key);
    struct buffer *old = entry->value;
    entry->value = update(old, context);
    pthread_rwlock_unlock(&stripe->lock);
    buffer_release(old);
}

size_t map_size(struct map *map) {
    size_t size = 0;
    for (size_t i = 0; i < MAP_STRIPES; i++) {
        struct map_stripe *stripe = &map->stripes[i];
        pthread_rwlock_rdlock(&stripe->lock);
        size += stripe->n_entries;
        pthread_rwlock_unlock(&stripe->lock);
    }
    return size;
}

void map_for_each(struct map *map, map_visit *visit, void *context) {
    for (size_t i = 0; i < MAP_STRIPES; i++) {
        struct map_stripe *stripe = &map->stripes[i];
        pthread_rwlock_rdlock(&stripe->lock);
        for (size_t j = 0; j < MAP_BUCKETS; j++)
            for (struct map_entry *entry = stripe->buckets[j]; entry != NULL; entry = entry->next)
                visit(entry->key, entry->value, context);
        pthread_rwlock_unlock(&stripe->lock);
    }
}
