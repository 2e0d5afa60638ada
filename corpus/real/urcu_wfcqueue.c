// liburcu's wait-free queue: two threads enqueue, and the main thread dequeues what there is.
// package: liburcu-dev
// check: --volatile relaxed --model tso --unroll 3 | verified up to a bound, 102 executions
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <urcu/wfcqueue.h>

struct item {
    int value;
    struct cds_wfcq_node node;
};

static struct __cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct item items[2];

static void *enqueuer(void *argument) {
    struct item *item = argument;
    item->value = 1;
    cds_wfcq_node_init(&item->node);
    cds_wfcq_enqueue((cds_wfcq_head_ptr_t){._h = &head}, &tail, &item->node);
    return 0;
}

static int dequeue(void) {
    struct cds_wfcq_node *node = __cds_wfcq_dequeue_blocking((cds_wfcq_head_ptr_t){._h = &head}, &tail);
    return node ? caa_container_of(node, struct item, node)->value : 0;
}

int main(void) {
    pthread_t threads[2];
    __cds_wfcq_init(&head, &tail);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, enqueuer, &items[i]);
    int sum = dequeue();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    sum += dequeue();
    sum += dequeue();
    assert(sum == 2);
}
