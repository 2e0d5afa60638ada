// A node is published with a relaxed store: a thread that finds it may see it before it was filled in. That is a race with
// what fills it in, and reported with both accesses.
//
// check: rc11 rf violation race 20
// check: rc11 co violation race 20
// check: -DPUBLISH=memory_order_release rc11 rf verified
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef PUBLISH
#define PUBLISH memory_order_relaxed
#endif

struct node { int value; };
static _Atomic(struct node *) published;

static void *reader(void *unused) {
    struct node *node = atomic_load_explicit(&published, memory_order_acquire);
    return node && node->value == 0 ? node : unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    atomic_store_explicit(&published, node, PUBLISH);
    pthread_join(thread, 0);
    free(node);
    return 0;
}
