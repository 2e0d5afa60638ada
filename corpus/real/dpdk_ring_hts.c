// DPDK's ring with one producer and one consumer at a time (HTS): two producers, and a consumer of what they wrote.
// package: libdpdk-dev
// flags: -isystem $libdpdk-dev/usr/include/dpdk -isystem $libdpdk-dev/usr/include/x86_64-linux-gnu/dpdk -DRTE_USE_C11_MEM_MODEL -DALLOW_EXPERIMENTAL_API
// check: --mixed-sizes merge | verified, 280 executions
#include <assert.h>
#include <pthread.h>
#include <rte_ring.h>

static char memory[4096] __attribute__((aligned(128)));
static int items[2];

static void *producer(void *item) {
    *(int *)item = 1;
    assert(rte_ring_mp_hts_enqueue_bulk((struct rte_ring *)memory, &item, 1, 0) == 1);
    return 0;
}

int main(void) {
    struct rte_ring *ring = (struct rte_ring *)memory;
    ring->size = 4, ring->mask = 3, ring->capacity = 3;
    ring->prod.sync_type = ring->cons.sync_type = RTE_RING_SYNC_MT_HTS;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, producer, &items[i]);
    void *item;
    for (int i = 0; i < 2; i++)
        if (rte_ring_mc_hts_dequeue_bulk(ring, &item, 1, 0) == 1)
            assert(*(int *)item == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}
