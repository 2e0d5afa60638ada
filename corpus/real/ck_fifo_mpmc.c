// Concurrency Kit's linked queue for several threads, with a compare-and-swap of 16 bytes: two threads enqueue and
// dequeue.
// package: libck-dev
// check: --mixed-sizes merge | verified, 428 executions
#include <assert.h>
#include <ck_fifo.h>
#include <pthread.h>

static ck_fifo_mpmc_t fifo;
static ck_fifo_mpmc_entry_t entries[3];
static int items[2];

static void *worker(void *argument) {
    long number = (long)argument;
    ck_fifo_mpmc_entry_t *garbage;
    int *item;
    items[number] = 1;
    ck_fifo_mpmc_enqueue(&fifo, &entries[number + 1], &items[number]);
    assert(ck_fifo_mpmc_dequeue(&fifo, &item, &garbage));
    assert(*item == 1);
    return item;
}

int main(void) {
    pthread_t threads[2];
    void *taken[2];
    ck_fifo_mpmc_init(&fifo, &entries[0]);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &taken[i]);
    assert(taken[0] != taken[1]);
}
