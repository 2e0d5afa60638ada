// Concurrency Kit's linked queue, one producer and one consumer.
// package: libck-dev
// check: | verified, 7 executions
#include <assert.h>
#include <ck_fifo.h>
#include <pthread.h>

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t entries[3];
static int items[2];

static void *producer(void *unused) {
    for (int i = 0; i < 2; i++) {
        items[i] = i + 1;
        ck_fifo_spsc_enqueue(&fifo, &entries[i + 1], &items[i]);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    ck_fifo_spsc_init(&fifo, &entries[0]);
    pthread_create(&thread, 0, producer, 0);
    int last = 0;
    for (int i = 0; i < 3; i++) {
        int *item;
        if (ck_fifo_spsc_dequeue(&fifo, &item))
            assert(*item == ++last);
    }
    pthread_join(thread, 0);
}
