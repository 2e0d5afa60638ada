// Nothing is leaked: globals lead to all that is not freed, also by addresses inside of objects, in packed structs,
// and through what several threads pushed.
//
// check: rc11 rf verified
// options: --leaks
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { struct node *next; int value; };
struct __attribute__((packed)) odd { char tag; struct node *node; };
static _Atomic(struct node *) stack;
static int *inside;
static struct odd odd;

static void *push(void *unused) {
    struct node *node = malloc(sizeof *node);
    node->next = atomic_load(&stack);
    while (!atomic_compare_exchange_weak(&stack, &node->next, node))
        ;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, push, NULL);
    push(NULL);
    pthread_join(thread, NULL);
    struct node *node = malloc(sizeof *node);
    inside = &node->value;
    odd.node = malloc(sizeof *node);
    return 0;
}
