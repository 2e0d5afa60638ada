// Hazard pointers: a reader announces which object it is about to use and looks again whether it is still the
// current one; a writer that has replaced an object frees it only if no reader has announced it.
//
// BUG=1: the announcement and the second look are not ordered by a sequentially consistent fence: the look may
//        come before the announcement can be seen.
// BUG=2: no second look.
// BUG=3: the announcement is withdrawn by a relaxed store: the writer may see that before the last use is over.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation use-after-free 101
// check: -DBUG=1 tso rf violation use-after-free 101
// check: -DBUG=1 sc rf verified
// check: -DBUG=2 sc rf violation use-after-free 101
// check: -DBUG=3 rc11 rf violation use-after-free 78
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#define READERS 2

struct config {
    int version, copy;
    struct config *next_retired;
};

static _Atomic(struct config *) current;
static _Atomic(struct config *) hazards[READERS];

static struct config *protect(int reader) {
    struct config *seen = atomic_load_explicit(&current, memory_order_relaxed);
    for (;;) {
        atomic_store_explicit(&hazards[reader], seen, memory_order_release);
#if BUG == 2
        return seen;
#endif
#if BUG != 1
        atomic_thread_fence(memory_order_seq_cst);
#endif
        struct config *again = atomic_load_explicit(&current, memory_order_acquire);
        if (again == seen)
            return seen;
        seen = again;
    }
}

static void release(int reader) {
#if BUG == 3
    atomic_store_explicit(&hazards[reader], NULL, memory_order_relaxed);
#else
    atomic_store_explicit(&hazards[reader], NULL, memory_order_release);
#endif
}

static bool is_protected(struct config *config) {
    for (int i = 0; i < READERS; i++)
        if (atomic_load_explicit(&hazards[i], memory_order_acquire) == config)
            return true;
    return false;
}

static struct config *retired; // The writer's own.

static void scan(void) {
    struct config **link = &retired;
    while (*link != NULL) {
        struct config *config = *link;
        if (is_protected(config)) {
            link = &config->next_retired;
        } else {
            *link = config->next_retired;
            free(config);
        }
    }
}

static struct config *new_config(int version) {
    struct config *config = malloc(sizeof *config);
    config->version = version;
    config->copy = version;
    return config;
}

static void replace(int version) {
    struct config *old = atomic_exchange_explicit(&current, new_config(version), memory_order_acq_rel);
    old->next_retired = retired;
    retired = old;
    atomic_thread_fence(memory_order_seq_cst);
    scan();
}

static void *reader(void *argument) {
    int me = *(int *)argument;
    struct config *config = protect(me);
    assert(config->version == config->copy);
    release(me);
    return NULL;
}

static void *writer(void *unused) {
    replace(1);
    return unused;
}

int main(void) {
    atomic_init(&current, new_config(0));
    pthread_t threads[READERS + 1];
    int ids[READERS];
    pthread_create(&threads[READERS], NULL, writer, NULL);
    for (int i = 0; i < READERS; i++) {
        ids[i] = i;
        pthread_create(&threads[i], NULL, reader, &ids[i]);
    }
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    scan();
    assert(retired == NULL);
    free(atomic_load(&current));
    return 0;
}
