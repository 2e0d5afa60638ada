// A pool of two workers behind one queue: jobs are function pointers with an argument, shutting down lets the workers
// finish what is queued.
//
// BUG=1: shutting down sets its flag without the mutex: a worker that has just looked misses the wake-up.
// BUG=2: shutting down wakes one worker only.
// BUG=3: a worker leaves as soon as it sees the flag, whatever is still queued.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock 44
// check: -DBUG=2 sc rf violation deadlock 44
// check: -DBUG=3 sc rf violation assertion 106
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#define WORKERS 2

struct job {
    void (*run)(void *);
    void *argument;
    struct job *next;
};

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    struct job *first, **last;
    atomic_bool is_closing;
    pthread_t workers[WORKERS];
};

static void *work(void *argument) {
    struct pool *pool = argument;
    for (;;) {
        pthread_mutex_lock(&pool->mutex);
        while (!pool->first && !pool->is_closing)
            pthread_cond_wait(&pool->wake, &pool->mutex);
        struct job *job = pool->first;
        if (BUG == 3 && pool->is_closing)
            job = NULL;
        if (job) {
            pool->first = job->next;
            if (!pool->first)
                pool->last = &pool->first;
        }
        pthread_mutex_unlock(&pool->mutex);
        if (!job)
            return NULL;
        job->run(job->argument);
        free(job);
    }
}

static void pool_open(struct pool *pool) {
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->first = NULL;
    pool->last = &pool->first;
    atomic_init(&pool->is_closing, false);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&pool->workers[i], NULL, work, pool);
}

static void pool_add(struct pool *pool, void (*run)(void *), void *argument) {
    struct job *job = malloc(sizeof *job);
    *job = (struct job){run, argument, NULL};
    pthread_mutex_lock(&pool->mutex);
    *pool->last = job;
    pool->last = &job->next;
    pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void pool_close(struct pool *pool) {
    if (BUG != 1)
        pthread_mutex_lock(&pool->mutex);
    pool->is_closing = true;
    if (BUG == 2)
        pthread_cond_signal(&pool->wake);
    else
        pthread_cond_broadcast(&pool->wake);
    if (BUG != 1)
        pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
}

static void mark(void *argument) { *(int *)argument += 1; }

int main(void) {
    struct pool pool;
    int done[2] = {0};
    pool_open(&pool);
    for (int i = 0; i < 2; i++)
        pool_add(&pool, mark, &done[i]);
    pool_close(&pool);
    assert(done[0] == 1 && done[1] == 1);
    return 0;
}
