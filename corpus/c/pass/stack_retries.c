// A stack of nodes, pushed and popped in the usual ways: a try that fails has done nothing, so it is not followed.
// FORM 0 loads the top in each try, FORM 1 takes the value that the compare-and-swap has seen, and FORM 2 keeps it in
// the node itself.
//
// options: --reduce all
// check: -DFORM=0 rc11 rf executions 270
// check: -DFORM=1 rc11 rf executions 270
// check: -DFORM=2 rc11 rf executions 270
// check: -DFORM=0 -DN=2 sc co executions 10
// check: -DFORM=1 -DN=2 tso co executions 10
// check: -DFORM=2 -DN=2 rc11 co executions 10
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef N
#define N 3
#endif

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(struct node *node) {
#if FORM == 0
    struct node *first;
    do {
        first = atomic_load_explicit(&top, memory_order_acquire);
        node->next = first;
    } while (!atomic_compare_exchange_strong_explicit(&top, &first, node, memory_order_acq_rel, memory_order_acquire));
#elif FORM == 1
    struct node *first = atomic_load_explicit(&top, memory_order_acquire);
    do {
        node->next = first;
    } while (!atomic_compare_exchange_weak_explicit(&top, &first, node, memory_order_acq_rel, memory_order_acquire));
#else
    node->next = atomic_load_explicit(&top, memory_order_acquire);
    while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, memory_order_acq_rel, memory_order_acquire))
        ;
#endif
}

static struct node *pop(void) {
#if FORM == 0
    struct node *first, *next;
    do {
        first = atomic_load_explicit(&top, memory_order_acquire);
        if (first == NULL)
            return NULL;
        next = first->next;
    } while (!atomic_compare_exchange_strong_explicit(&top, &first, next, memory_order_acq_rel, memory_order_acquire));
#else
    struct node *first = atomic_load_explicit(&top, memory_order_acquire);
    while (first && !atomic_compare_exchange_weak_explicit(&top, &first, first->next, memory_order_acq_rel,
                                                           memory_order_acquire))
        ;
#endif
    return first;
}

static void *run(void *argument) {
    struct node *node = malloc(sizeof *node);
    node->value = (int)(long)argument;
    push(node);
    pop();
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, run, (void *)(i + 1));
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
