/* Threads that run jobs, and groups of jobs that can be waited for. */
#ifndef POOL_H
#define POOL_H

#include "log.h"
#include "queue.h"

#include <pthread.h>

#define POOL_MAX_WORKERS 8

struct pool {
    struct queue queue;
    struct log *log;
    pthread_t workers[POOL_MAX_WORKERS];
    size_t n_workers;
    atomic_ulong n_done;
};

bool pool_start(struct pool *pool, size_t n_workers, size_t capacity, struct log *log);

/* Waits until all jobs are done and the workers are gone. */
void pool_stop(struct pool *pool);

/* Counts jobs that are not done yet. */
struct group {
    pthread_mutex_t lock;
    pthread_cond_t all_done;
    size_t n_open;
};

void group_init(struct group *group);
void group_destroy(struct group *group);
void group_wait(struct group *group);

/* Runs the function in the pool; false when the pool is closed. */
bool pool_submit(struct pool *pool, struct group *group, job_function *run, void *argument);

#endif
