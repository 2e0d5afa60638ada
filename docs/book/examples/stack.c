// A driver for a stack without locks: one thread pushes, two pop.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(&top, &node->next, node, memory_order_release,
                                                    memory_order_relaxed))
        ;
}

static int pop(void) {
    struct node *node = atomic_load_explicit(&top, memory_order_acquire);
    while (node && !atomic_compare_exchange_strong(&top, &node, node->next))
        ;
    if (!node)
        return 0;
    int value = node->value;
#ifdef FREES
    free(node); // The other thread may still look at it.
#endif
    return value;
}

static void *producer(void *unused) {
    push(1);
    push(2);
    return unused;
}

static void *consumer(void *sum) {
    *(int *)sum = pop();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int taken[2] = {0, 0};
    pthread_create(&threads[0], NULL, producer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i + 1], NULL, consumer, &taken[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(taken[0] == 0 || taken[0] != taken[1]);
}
