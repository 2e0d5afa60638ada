// A sorted lock-free list: a node is removed in two steps, first by a mark in its `next`, which keeps others from linking
// behind it, and then by unlinking it. Nodes live in an array and are not used again.
//
// BUG=1: removing does not mark: a node that is inserted behind it at the same time is lost.
// BUG=2: a node is linked in with a relaxed compare-and-swap.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 105
// check: -DBUG=2 rc11 rf violation assertion 85
// check: -DBUG=2 tso rf verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#define MARK 1u

struct node {
    int key;
    atomic_uintptr_t next;
};

static struct node nodes[4], head;

static struct node *pointer(uintptr_t link) { return (struct node *)(link & ~(uintptr_t)MARK); }

static bool insert(struct node *new) {
    for (;;) {
        struct node *before = &head;
        uintptr_t next = atomic_load_explicit(&before->next, memory_order_acquire);
        while (pointer(next) && pointer(next)->key < new->key) {
            before = pointer(next);
            next = atomic_load_explicit(&before->next, memory_order_acquire);
        }
        if (next & MARK)
            continue;
        if (pointer(next) && pointer(next)->key == new->key)
            return false;
        atomic_store_explicit(&new->next, next, memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&before->next, &next, (uintptr_t)new,
                                                    BUG == 2 ? memory_order_relaxed : memory_order_release,
                                                    memory_order_relaxed))
            return true;
    }
}

static bool remove_first(void) {
    for (;;) {
        uintptr_t link = atomic_load_explicit(&head.next, memory_order_acquire);
        struct node *first = pointer(link);
        if (!first)
            return false;
        uintptr_t next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (BUG != 1 && !(next & MARK) &&
            !atomic_compare_exchange_strong_explicit(&first->next, &next, next | MARK, memory_order_acq_rel,
                                                     memory_order_relaxed))
            continue;
        if (atomic_compare_exchange_strong_explicit(&head.next, &link, next & ~(uintptr_t)MARK, memory_order_acq_rel,
                                                    memory_order_relaxed))
            return true;
    }
}

static void *inserter(void *unused) {
    nodes[2].key = 20;
    assert(insert(&nodes[2]));
    return unused;
}

static void *remover(void *unused) {
    assert(remove_first());
    return unused;
}

static void *looker(void *unused) {
    int last = 0;
    for (uintptr_t link = atomic_load_explicit(&head.next, memory_order_acquire); pointer(link);
         link = atomic_load_explicit(&pointer(link)->next, memory_order_acquire)) {
        assert(pointer(link)->key > last);
        last = pointer(link)->key;
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    nodes[0].key = 10;
    nodes[1].key = 30;
    insert(&nodes[1]);
    insert(&nodes[0]);
    pthread_create(&threads[0], NULL, inserter, NULL);
    pthread_create(&threads[1], NULL, remover, NULL);
    pthread_create(&threads[2], NULL, looker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    int sum = 0;
    for (uintptr_t link = atomic_load(&head.next); pointer(link); link = atomic_load(&pointer(link)->next))
        sum += pointer(link)->key;
    assert(sum == 50);
    return 0;
}
