// A driver for a reclamation scheme: a reader announces what it uses, and looks again; the writer frees what it has
// replaced only if it is not announced.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ANNOUNCE
#define ANNOUNCE memory_order_seq_cst
#endif

struct config {
    int version;
};

static _Atomic(struct config *) current, hazard;

static struct config *new_config(int version) {
    struct config *config = malloc(sizeof *config);
    config->version = version;
    return config;
}

static void *reader(void *unused) {
    struct config *config = atomic_load(&current);
    atomic_store_explicit(&hazard, config, ANNOUNCE);
    if (atomic_load(&current) == config) // Not replaced yet: a later writer sees the announcement.
        assert(config->version >= 1);
    atomic_store_explicit(&hazard, NULL, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t thread;
    atomic_store(&current, new_config(1));
    pthread_create(&thread, NULL, reader, NULL);
    struct config *old = atomic_exchange(&current, new_config(2)), *kept = NULL;
    if (atomic_load(&hazard) == old)
        kept = old; // Until it is not announced any more.
    else
        free(old);
    pthread_join(thread, NULL);
    free(kept);
    free(atomic_load(&current));
}
