// Two threads write the same field of an object on the heap.
//
// check: rc11 rf violation race 11
#include <pthread.h>
#include <stdlib.h>

struct node { int value; struct node *next; };

static void *writer(void *argument) {
    struct node *node = argument;
    node->next = NULL;
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct node *node = malloc(sizeof *node);
    pthread_create(&thread, NULL, writer, node);
    node->next = node;
    pthread_join(thread, NULL);
    free(node);
    return 0;
}
