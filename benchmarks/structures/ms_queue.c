// The Michael–Scott queue: a list with a dummy node at its head; the tail may lag behind by one node, and a thread that
// notices helps it on. Nodes that were dequeued are kept until the end.
//
// BUG=1: a node is linked with a relaxed compare-and-swap, so its value need not be seen.
// BUG=2: the old dummy is freed at once, while others may still look at it.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 97
// check: -DBUG=2 rc11 rf violation use-after-free 99
// check: -DBUG=2 sc rf violation use-after-free 99
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
    _Atomic(struct node *) next;
};

struct queue {
    _Atomic(struct node *) head, tail;
    struct node *first; // All nodes from here on belong to the queue, the dequeued ones too.
};

static struct node *new_node(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    return node;
}

static void queue_init(struct queue *queue) {
    struct node *dummy = new_node(0);
    atomic_init(&queue->head, dummy);
    atomic_init(&queue->tail, dummy);
    queue->first = dummy;
}

static void queue_destroy(struct queue *queue) {
#if BUG == 2
    struct node *node = atomic_load(&queue->head);
#else
    struct node *node = queue->first;
#endif
    while (node != NULL) {
        struct node *next = atomic_load_explicit(&node->next, memory_order_relaxed);
        free(node);
        node = next;
    }
}

static void enqueue(struct queue *queue, int value) {
    struct node *node = new_node(value);
#if BUG == 1
    const memory_order link = memory_order_relaxed;
#else
    const memory_order link = memory_order_release;
#endif
    for (;;) {
        struct node *tail = atomic_load_explicit(&queue->tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&tail->next, memory_order_acquire);
        if (next != NULL) {
            atomic_compare_exchange_strong_explicit(&queue->tail, &tail, next, memory_order_release,
                                                    memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&tail->next, &next, node, link, memory_order_relaxed)) {
            atomic_compare_exchange_strong_explicit(&queue->tail, &tail, node, memory_order_release,
                                                    memory_order_relaxed);
            return;
        }
    }
}

static bool dequeue(struct queue *queue, int *value) {
    for (;;) {
        struct node *head = atomic_load_explicit(&queue->head, memory_order_acquire);
        struct node *tail = atomic_load_explicit(&queue->tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&head->next, memory_order_acquire);
        if (next == NULL)
            return false;
        if (head == tail) {
            atomic_compare_exchange_strong_explicit(&queue->tail, &tail, next, memory_order_release,
                                                    memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&queue->head, &head, next, memory_order_acq_rel,
                                                    memory_order_relaxed)) {
            *value = next->value;
#if BUG == 2
            free(head);
#endif
            return true;
        }
    }
}

static struct queue queue;

static void *producer(void *unused) {
    enqueue(&queue, 1);
    enqueue(&queue, 2);
    return unused;
}

static int taken[2];

static void *consumer(void *argument) {
    int me = *(int *)argument;
    dequeue(&queue, &taken[me]);
    return NULL;
}

int main(void) {
    queue_init(&queue);
    pthread_t threads[3];
    int ids[2] = {0, 1};
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, &ids[0]);
    pthread_create(&threads[2], NULL, consumer, &ids[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    int sum = taken[0] + taken[1], value, before = 0;
    while (dequeue(&queue, &value)) {
        assert(value > before); // Of one producer, in its order.
        before = value;
        sum += value;
    }
    assert(sum == 3);
    queue_destroy(&queue);
    return 0;
}
