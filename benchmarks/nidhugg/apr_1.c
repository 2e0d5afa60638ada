// apr_1: the original links 8000 lines of the Apache Portable Runtime. This is a stand-in of ours for it: three threads
// take memory from a pool that a mutex guards, count, and give the memory back; main joins them and checks the counter.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor | verdict verified, time 5.88
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor | verdict verified, time 6.06
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor | verdict verified, time 16.98
#include <assert.h>
#include <pthread.h>

#define THREADS 3

struct block {
    struct block *next;
    int payload;
};

static struct {
    pthread_mutex_t mutex;
    struct block blocks[THREADS], *free;
    int n_taken;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct block *take(void) {
    pthread_mutex_lock(&pool.mutex);
    struct block *block = pool.free;
    if (block != NULL)
        pool.free = block->next;
    else
        block = &pool.blocks[pool.n_taken];
    pool.n_taken++;
    pthread_mutex_unlock(&pool.mutex);
    return block;
}

static void give_back(struct block *block) {
    pthread_mutex_lock(&pool.mutex);
    block->next = pool.free;
    pool.free = block;
    pthread_mutex_unlock(&pool.mutex);
}

static void *worker(void *unused) {
    struct block *block = take();
    block->payload = 1;
    give_back(block);
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(pool.n_taken == THREADS);
    return 0;
}
