// The pointer is published before what it points to is written.
//
// check: sc co violation uninitialised 22
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int value; };
static _Atomic(struct node *) head;

static void *writer(void *unused) {
    struct node *node = malloc(sizeof *node);
    atomic_store_explicit(&head, node, memory_order_release);
    node->value = 1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    struct node *node = atomic_load_explicit(&head, memory_order_acquire);
    int value = node ? node->value : 0;
    pthread_join(thread, NULL);
    free(atomic_load(&head));
    return value;
}
