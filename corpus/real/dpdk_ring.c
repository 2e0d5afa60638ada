// DPDK's ring with C11 atomics: two producers, and a consumer of what they wrote.
// package: libdpdk-dev
// flags: -isystem $libdpdk-dev/usr/include/dpdk -isystem $libdpdk-dev/usr/include/x86_64-linux-gnu/dpdk -DRTE_USE_C11_MEM_MODEL
// check: | race
// changed: $libdpdk-dev/usr/include/dpdk/rte_ring_c11_pvt.h | rte_wait_until_equal_32(&ht->tail, old_val, __ATOMIC_RELAXED) | rte_wait_until_equal_32(&ht->tail, old_val, __ATOMIC_ACQUIRE) | | verified, 42 executions
#include <assert.h>
#include <pthread.h>
#include <rte_ring.h>

static char memory[4096] __attribute__((aligned(128)));
static int items[2];

static void *producer(void *item) {
    *(int *)item = 1;
    assert(rte_ring_mp_enqueue((struct rte_ring *)memory, item) == 0);
    return 0;
}

int main(void) {
    struct rte_ring *ring = (struct rte_ring *)memory;
    ring->size = 4, ring->mask = 3, ring->capacity = 3;
    ring->prod.sync_type = ring->cons.sync_type = RTE_RING_SYNC_MT;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, producer, &items[i]);
    void *item;
    for (int i = 0; i < 2; i++)
        if (rte_ring_mc_dequeue(ring, &item) == 0)
            assert(*(int *)item == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}
