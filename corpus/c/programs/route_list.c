// A list that readers walk without a lock while writers, which exclude each other by a mutex, push new nodes in front and
// unlink old ones; what is unlinked is kept until no reader can be on it.
//
// BUG=1: the new node is published before it is complete.
// BUG=2: the new node is published by a plain store.
// BUG=3: the unlinked node is freed at once.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation uninitialised 63
// check: -DBUG=2 rc11 rf violation race 41
// check: -DBUG=2 tso rf verified
// check: -DBUG=3 sc rf violation use-after-free 54
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif

struct route {
    int prefix, hop;
    _Atomic(struct route *) next;
};

static _Atomic(struct route *) routes;
static struct route *unlinked;
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

static void push(int prefix) {
    struct route *new = malloc(sizeof *new);
    pthread_mutex_lock(&writers);
    new->prefix = prefix;
    if (BUG != 1)
        new->hop = prefix + 100;
    atomic_init(&new->next, atomic_load_explicit(&routes, memory_order_relaxed));
    if (BUG == 2)
        *(struct route *volatile *)&routes = new;
    else
        atomic_store_explicit(&routes, new, memory_order_release);
    if (BUG == 1)
        new->hop = prefix + 100;
    pthread_mutex_unlock(&writers);
}

static void drop_first(void) {
    pthread_mutex_lock(&writers);
    struct route *first = atomic_load_explicit(&routes, memory_order_relaxed);
    atomic_store_explicit(&routes, atomic_load_explicit(&first->next, memory_order_relaxed), memory_order_release);
    if (BUG == 3)
        free(first);
    else
        unlinked = first;
    pthread_mutex_unlock(&writers);
}

static void *reader(void *unused) {
    for (struct route *it = atomic_load_explicit(&routes, memory_order_acquire); it;
         it = atomic_load_explicit(&it->next, memory_order_acquire))
        assert(it->hop == it->prefix + 100);
    return unused;
}

static void *pusher(void *unused) {
    push(2);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    push(1);
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, pusher, NULL);
    drop_first();
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    free(unlinked);
    free(atomic_load(&routes));
    return 0;
}
