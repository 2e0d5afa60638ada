// DPDK's lock-free stack, whose heads of 16 bytes are read as plain variables: two threads push and pop. The tag in the
// head makes the reads harmless, if compilers do nothing unexpected.
// package: libdpdk-dev
// flags: -isystem $libdpdk-dev/usr/include/dpdk -isystem $libdpdk-dev/usr/include/x86_64-linux-gnu/dpdk -DRTE_USE_C11_MEM_MODEL -DALLOW_EXPERIMENTAL_API -mcx16
// check: | race
// check: --no-race-detection --mixed-sizes merge -- -DONE | verified, 272 executions
#include <assert.h>
#include <pthread.h>
#include <rte_stack.h>

static char memory[4096] __attribute__((aligned(128)));
static int items[2];
static struct rte_stack *stack = (struct rte_stack *)memory;

static void *worker(void *item) {
    void *taken;
    *(int *)item = 1;
    assert(__rte_stack_lf_push(stack, &item, 1) == 1);
#ifdef ONE
    return 0;
#endif
    assert(__rte_stack_lf_pop(stack, &taken, 1) == 1);
    assert(*(int *)taken == 1);
    return 0;
}

int main(void) {
    stack->capacity = 2, stack->flags = RTE_STACK_F_LF;
    struct rte_stack_lf_elem *elements = stack->stack_lf.elems;
    for (int i = 0; i < 2; i++)
        __rte_stack_lf_push_elems(&stack->stack_lf.free, &elements[i], &elements[i], 1);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, &items[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}
