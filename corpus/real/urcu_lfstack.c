// liburcu's lock-free stack: two threads push, and the main thread takes everything.
// package: liburcu-dev
// check: | verified, 8 executions
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <urcu/lfstack.h>

struct item {
    int value;
    struct cds_lfs_node node;
};

static struct __cds_lfs_stack stack;
static struct item items[2];

static void *pusher(void *argument) {
    struct item *item = argument;
    item->value = 1;
    cds_lfs_node_init(&item->node);
    cds_lfs_push((cds_lfs_stack_ptr_t){._s = &stack}, &item->node);
    return 0;
}

static int take_all(void) {
    int sum = 0;
    struct cds_lfs_node *node;
    struct cds_lfs_head *head = __cds_lfs_pop_all((cds_lfs_stack_ptr_t){._s = &stack});
    cds_lfs_for_each(head, node)
        sum += caa_container_of(node, struct item, node)->value;
    return sum;
}

int main(void) {
    pthread_t threads[2];
    __cds_lfs_init(&stack);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, pusher, &items[i]);
    int sum = take_all();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(sum + take_all() == 2);
}
