// Concurrency Kit's ring, one producer and one consumer: what comes out went in, in that order, and is written.
// package: libck-dev
// check: | verified, 16 executions
// changed: $libck-dev/usr/include/ck_ring.h | delta = producer + 1;\n\tif (size != NULL)\n\t\t*size = (producer - consumer) & mask;\n\n\tif (CK_CC_UNLIKELY((delta & mask) == (consumer & mask)))\n\t\treturn false; | delta = producer + 1; ck_pr_store_uint(&ring->p_tail, delta); | | race
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int items[2];

static void *producer(void *unused) {
    for (int i = 0; i < 2; i++) {
        items[i] = i + 1;
        assert(ck_ring_enqueue_spsc(&ring, buffer, &items[i]));
    }
    return unused;
}

static void *consumer(void *unused) {
    int seen = 0;
    for (int i = 0; i < 3; i++) {
        void *item;
        if (ck_ring_dequeue_spsc(&ring, buffer, &item))
            assert(*(int *)item == ++seen);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    ck_ring_init(&ring, 4);
    pthread_create(&threads[0], 0, producer, 0);
    pthread_create(&threads[1], 0, consumer, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}
