// A bounded queue for many producers and many consumers: every cell has a sequence number that says whose turn it
// is, and positions are handed out by compare-and-swap.
//
// BUG=1: a filled cell is published by a relaxed store.
// BUG=2: a consumer that empties a cell gives it the number of the next position instead of the next round, so
//        that the producer that comes round to it finds it full forever.
// BUG=3: the producer does not look at the sequence number, and overwrites a cell that is still full.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 88
// check: -DBUG=2 sc rf violation assertion 124
// check: -DBUG=3 sc rf violation assertion 122
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#define CELLS 2

struct cell {
    _Atomic size_t sequence;
    int value;
};

struct queue {
    struct cell cells[CELLS];
    _Atomic size_t enqueue_at, dequeue_at;
};

static void queue_init(struct queue *queue) {
    for (size_t i = 0; i < CELLS; i++)
        atomic_init(&queue->cells[i].sequence, i);
}

static bool enqueue(struct queue *queue, int value) {
    size_t at = atomic_load_explicit(&queue->enqueue_at, memory_order_relaxed);
    struct cell *cell;
    for (;;) {
        cell = &queue->cells[at % CELLS];
        size_t sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
        intptr_t ahead = (intptr_t)sequence - (intptr_t)at;
#if BUG == 3
        ahead = 0;
#endif
        if (ahead == 0) {
            if (atomic_compare_exchange_weak_explicit(&queue->enqueue_at, &at, at + 1, memory_order_relaxed,
                                                      memory_order_relaxed))
                break;
        } else if (ahead < 0) {
            return false;
        } else {
            at = atomic_load_explicit(&queue->enqueue_at, memory_order_relaxed);
        }
    }
    cell->value = value;
#if BUG == 1
    atomic_store_explicit(&cell->sequence, at + 1, memory_order_relaxed);
#else
    atomic_store_explicit(&cell->sequence, at + 1, memory_order_release);
#endif
    return true;
}

static bool dequeue(struct queue *queue, int *value) {
    size_t at = atomic_load_explicit(&queue->dequeue_at, memory_order_relaxed);
    struct cell *cell;
    for (;;) {
        cell = &queue->cells[at % CELLS];
        size_t sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
        intptr_t ahead = (intptr_t)sequence - (intptr_t)(at + 1);
        if (ahead == 0) {
            if (atomic_compare_exchange_weak_explicit(&queue->dequeue_at, &at, at + 1, memory_order_relaxed,
                                                      memory_order_relaxed))
                break;
        } else if (ahead < 0) {
            return false;
        } else {
            at = atomic_load_explicit(&queue->dequeue_at, memory_order_relaxed);
        }
    }
    *value = cell->value;
#if BUG == 2
    atomic_store_explicit(&cell->sequence, at + 1, memory_order_release);
#else
    atomic_store_explicit(&cell->sequence, at + CELLS, memory_order_release);
#endif
    return true;
}

static struct queue queue;

static void *producer(void *argument) {
    assert(enqueue(&queue, *(int *)argument));
    return NULL;
}

static int taken;

static void *consumer(void *unused) {
    dequeue(&queue, &taken);
    return unused;
}

int main(void) {
    queue_init(&queue);
    pthread_t threads[3];
    int values[2] = {1, 2};
    pthread_create(&threads[0], NULL, producer, &values[0]);
    pthread_create(&threads[1], NULL, producer, &values[1]);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    int sum = taken, value;
    if (taken == 0)
        assert(!enqueue(&queue, 4));
    else
        assert(enqueue(&queue, 4));
    while (dequeue(&queue, &value))
        sum += value;
    assert(sum == (taken == 0 ? 3 : 7));
    return 0;
}
