// The Chase–Lev work-stealing deque: its owner pushes and takes at the bottom, thieves steal at the top. Only for
// the last element do they compete, and there a sequentially consistent fence decides.
//
// BUG=1: take has no fence between its store of `bottom` and its load of `top`, and an element is given out twice.
// BUG=2: push has no release fence before it moves `bottom`, and a thief finds the slot as it was before: a job is
//        lost, or seen without its contents.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation assertion 87
// check: -DBUG=1 tso rf violation assertion 87
// check: -DBUG=1 sc rf verified
// check: -DBUG=2 rc11 rf violation assertion 114
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#define CAPACITY 4

struct job {
    int value;
    atomic_int done;
};

struct deque {
    _Atomic size_t top, bottom;
    _Atomic(struct job *) slots[CAPACITY];
};

static void push(struct deque *deque, struct job *job) {
    size_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    size_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    assert(bottom - top < CAPACITY);
    atomic_store_explicit(&deque->slots[bottom % CAPACITY], job, memory_order_relaxed);
#if BUG != 2
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
}

static struct job *take(struct deque *deque) {
    size_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&deque->bottom, bottom, memory_order_relaxed);
#if BUG != 1
    atomic_thread_fence(memory_order_seq_cst);
#endif
    size_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    if ((ptrdiff_t)(bottom - top) < 0) {
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
        return NULL;
    }
    struct job *job = atomic_load_explicit(&deque->slots[bottom % CAPACITY], memory_order_relaxed);
    if (top == bottom) {
        if (!atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            job = NULL;
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    }
    return job;
}

static struct job *steal(struct deque *deque) {
    size_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    size_t bottom = atomic_load_explicit(&deque->bottom, memory_order_acquire);
    if ((ptrdiff_t)(bottom - top) <= 0)
        return NULL;
    struct job *job = atomic_load_explicit(&deque->slots[top % CAPACITY], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return NULL;
    return job;
}

static struct deque deque;
static struct job jobs[2];

static void run(struct job *job) {
    if (job == NULL)
        return;
    assert(job->value > 0);
    assert(atomic_fetch_add_explicit(&job->done, 1, memory_order_relaxed) == 0);
}

static void *owner(void *unused) {
    for (int i = 0; i < 2; i++) {
        jobs[i].value = i + 1;
        push(&deque, &jobs[i]);
    }
    run(take(&deque));
    run(take(&deque));
    return unused;
}

static void *thief(void *unused) {
    run(steal(&deque));
    run(steal(&deque));
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, thief, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (struct job *job = take(&deque); job != NULL; job = take(&deque))
        run(job);
    assert(atomic_load(&jobs[0].done) == 1 && atomic_load(&jobs[1].done) == 1);
    return 0;
}
