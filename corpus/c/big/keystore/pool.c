#include "pool.h"

#include <stdio.h>
#include <stdlib.h>

/* A job with the group it belongs to. */
struct task {
    job_function *run;
    void *argument;
    struct group *group;
};

static void group_enter(struct group *group) {
    pthread_mutex_lock(&group->lock);
    group->n_open++;
    pthread_mutex_unlock(&group->lock);
}

static void group_leave(struct group *group) {
    pthread_mutex_lock(&group->lock);
    if (--group->n_open == 0)
        pthread_cond_broadcast(&group->all_done);
    pthread_mutex_unlock(&group->lock);
}

void group_init(struct group *group) {
    pthread_mutex_init(&group->lock, NULL);
    pthread_cond_init(&group->all_done, NULL);
    group->n_open = 0;
}

void group_destroy(struct group *group) {
    pthread_cond_destroy(&group->all_done);
    pthread_mutex_destroy(&group->lock);
}

void group_wait(struct group *group) {
    pthread_mutex_lock(&group->lock);
    while (group->n_open > 0)
        pthread_cond_wait(&group->all_done, &group->lock);
    pthread_mutex_unlock(&group->lock);
}

static void run_task(void *argument) {
    struct task task = *(struct task *)argument;
    free(argument);
    task.run(task.argument);
    if (task.group != NULL)
        group_leave(task.group);
}

static void *work(void *argument) {
    struct pool *pool = argument;
    struct job job;
    unsigned long n_mine = 0;
    while (queue_take(&pool->queue, &job)) {
        job.run(job.argument);
        n_mine++;
    }
    atomic_fetch_add_explicit(&pool->n_done, n_mine, memory_order_relaxed);
    log_write(pool->log, LOG_DEBUG, "a worker has done %lu jobs", n_mine);
    return NULL;
}

bool pool_start(struct pool *pool, size_t n_workers, size_t capacity, struct log *log) {
    if (n_workers == 0 || n_workers > POOL_MAX_WORKERS || !queue_init(&pool->queue, capacity))
        return false;
    pool->log = log;
    pool->n_workers = 0;
    atomic_init(&pool->n_done, 0);
    for (size_t i = 0; i < n_workers; i++) {
        if (pthread_create(&pool->workers[i], NULL, work, pool) != 0) {
            log_write(log, LOG_ERROR, "worker %lu of %lu cannot be started", i + 1, n_workers);
            pool_stop(pool);
            return false;
        }
        pool->n_workers++;
    }
    return true;
}

void pool_stop(struct pool *pool) {
    queue_close(&pool->queue);
    for (size_t i = 0; i < pool->n_workers; i++)
        pthread_join(pool->workers[i], NULL);
    pool->n_workers = 0;
    queue_destroy(&pool->queue);
}

bool pool_submit(struct pool *pool, struct group *group, job_function *run, void *argument) {
    struct task *task = malloc(sizeof *task);
    if (task == NULL)
        return false;
    *task = (struct task){.run = run, .argument = argument, .group = group};
    if (group != NULL)
        group_enter(group);
    struct job job = {.run = run_task, .argument = task};
    if (queue_put(&pool->queue, job))
        return true;
    if (group != NULL)
        group_leave(group);
    free(task);
    return false;
}
