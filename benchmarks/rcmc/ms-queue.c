// ms-queue(N): the queue of Michael and Scott in an array of nodes. Links are counted: the upper half of a link counts
// how often it changed, the lower half is the number of a node, 0 for none. Each of N threads puts a number in and takes
// one out, if there is one. With ALL_SC all accesses are sequentially consistent.
//
// row: RCMC Table 6 | N=2 | --model sc --algorithm source-dpor | time 0.45 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 | --model tso --algorithm source-dpor --mapping raw | time 0.49 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 | --model pso --algorithm source-dpor --mapping raw | time 0.69 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 | --model rc11 --algorithm rcmc | time 0.13 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 | --model rc11 --equivalence co | time 0.13 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 | --model wrc11 --algorithm rcmc | time 0.13 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 | --model sc --algorithm source-dpor | time 21.21 | ours executions 60678, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 | --model tso --algorithm source-dpor --mapping raw | time 23.13 | ours executions 60678, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 | --model pso --algorithm source-dpor --mapping raw | time 36.12 | ours executions 60678, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 | --model rc11 --algorithm rcmc | time 4.37 | ours executions 64350, duplicates 3039, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 | --model rc11 --equivalence co | time 4.37 | ours executions 64350, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 | --model wrc11 --algorithm rcmc | time 4.49 | ours executions 64350, duplicates 3039, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=2 ALL_SC | --model sc --algorithm source-dpor | time 0.45 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=2 ALL_SC | --model rc11 --algorithm rcmc | time 0.13 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=2 ALL_SC | --model rc11 --equivalence co | time 0.13 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=2 ALL_SC | --model wrc11 --algorithm rcmc | time 0.13 | ours executions 58, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=3 ALL_SC | --model sc --algorithm source-dpor | time 21.21 | ours executions 60678, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=3 ALL_SC | --model rc11 --algorithm rcmc | time 4.34 | ours executions 60678, duplicates 2847, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=3 ALL_SC | --model rc11 --equivalence co | time 4.34 | ours executions 60678, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=3 ALL_SC | --model wrc11 --algorithm rcmc | time 4.34 | ours executions 60678, duplicates 2847, verdict verified: the paper prints only times
// row: GenMC suite | N=2 | --model rc11 --equivalence co | executions 50 | ours executions 58: the suite's program also keeps free lists, and its loops are bounded to 3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef ALL_SC
#define ORDER(name) memory_order_seq_cst
#else
#define ORDER(name) memory_order_##name
#endif

typedef uint64_t link;

struct node {
    int value;
    _Atomic link next;
};

// Node 1 is the dummy that a new queue has; thread i has node i+2.
static struct node nodes[N + 2];
static _Atomic link head, tail;

static uint32_t node_of(link link) { return (uint32_t)link; }

// `old` changed to point to `node`.
static link changed(link old, uint32_t node) { return ((old >> 32) + 1) << 32 | node; }

static bool swap(_Atomic link *at, link from, link to) {
    return atomic_compare_exchange_strong_explicit(at, &from, to, ORDER(release), ORDER(relaxed));
}

static void enqueue(uint32_t node, int value) {
    nodes[node].value = value;
    link old = atomic_load_explicit(&nodes[node].next, ORDER(relaxed));
    atomic_store_explicit(&nodes[node].next, old >> 32 << 32, ORDER(relaxed));
    for (;;) {
        link last = atomic_load_explicit(&tail, ORDER(acquire));
        _Atomic link *end = &nodes[node_of(last)].next;
        link next = atomic_load_explicit(end, ORDER(acquire));
        if (last != atomic_load_explicit(&tail, ORDER(relaxed)))
            continue;
        if (node_of(next) == 0 && swap(end, next, changed(next, node))) {
            swap(&tail, last, changed(last, node));
            return;
        }
        swap(&tail, last, changed(last, node_of(atomic_load_explicit(end, ORDER(acquire)))));
    }
}

static bool dequeue(int *value) {
    for (;;) {
        link first = atomic_load_explicit(&head, ORDER(acquire));
        link last = atomic_load_explicit(&tail, ORDER(relaxed));
        link next = atomic_load_explicit(&nodes[node_of(first)].next, ORDER(acquire));
        if (first != atomic_load_explicit(&head, ORDER(relaxed)))
            continue;
        if (node_of(first) == node_of(last)) {
            if (node_of(next) == 0)
                return false;
            swap(&tail, last, changed(last, node_of(next)));
        } else {
            *value = nodes[node_of(next)].value;
            if (swap(&head, first, changed(first, node_of(next))))
                return true;
        }
    }
}

static void *worker(void *argument) {
    int i = (int)(intptr_t)argument, value;
    enqueue((uint32_t)i + 2, i + 10);
    if (dequeue(&value))
        assert(value >= 10 && value < 10 + N);
    return NULL;
}

int main(void) {
    atomic_init(&head, 1);
    atomic_init(&tail, 1);
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    pthread_exit(NULL);
}
