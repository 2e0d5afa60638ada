// The Treiber stack: a list of heap nodes whose head is moved by compare-and-swap. Popped nodes are kept until
// no thread works on the stack any more, and freed then.
//
// BUG=1: a popped node is freed at once, while another pop may still read its `next`.
// BUG=2: push links the node with a relaxed compare-and-swap, so its contents need not be seen.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation use-after-free 74
// check: -DBUG=1 sc rf violation use-after-free 74
// check: -DBUG=2 rc11 rf violation race 69
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif

struct node {
    int value;
    struct node *next;
    struct node *next_retired;
};

struct stack {
    _Atomic(struct node *) top;
};

static void push(struct stack *stack, int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load_explicit(&stack->top, memory_order_relaxed);
#if BUG == 2
    const memory_order order = memory_order_relaxed;
#else
    const memory_order order = memory_order_release;
#endif
    while (!atomic_compare_exchange_weak_explicit(&stack->top, &node->next, node, order, memory_order_relaxed))
        ;
}

// What a thread has popped, to be freed when all are done.
struct retired {
    struct node *first;
};

static inline void retire(struct retired *retired, struct node *node) {
    node->next_retired = retired->first;
    retired->first = node;
}

static void free_retired(struct retired *retired) {
    while (retired->first != NULL) {
        struct node *node = retired->first;
        retired->first = node->next_retired;
        free(node);
    }
}

static bool pop(struct stack *stack, struct retired *retired, int *value) {
    struct node *node = atomic_load_explicit(&stack->top, memory_order_acquire);
    do {
        if (node == NULL)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&stack->top, &node, node->next, memory_order_acquire,
                                                    memory_order_acquire));
    *value = node->value;
#if BUG == 1
    (void)retired;
    free(node);
#else
    retire(retired, node);
#endif
    return true;
}

static struct stack stack;
static struct retired retired[2];

static void *pusher(void *unused) {
    push(&stack, 1);
    push(&stack, 2);
    return unused;
}

static int sums[2];

static void *popper(void *argument) {
    int me = *(int *)argument, value;
    if (pop(&stack, &retired[me], &value))
        sums[me] += value;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int ids[2] = {0, 1};
    pthread_create(&threads[0], NULL, pusher, NULL);
    pthread_create(&threads[1], NULL, popper, &ids[0]);
    pthread_create(&threads[2], NULL, popper, &ids[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    int value, rest = 0;
    while (pop(&stack, &retired[0], &value))
        rest += value;
    assert(sums[0] + sums[1] + rest == 3);
    free_retired(&retired[0]);
    free_retired(&retired[1]);
    return 0;
}
