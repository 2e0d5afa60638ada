/* A bounded queue of jobs, between the threads that submit and the workers. */
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef void job_function(void *argument);

struct job {
    job_function *run;
    void *argument;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    struct job *jobs;
    size_t capacity, first, n_jobs;
    bool closed;
};

bool queue_init(struct queue *queue, size_t capacity);
void queue_destroy(struct queue *queue);

/* Waits while the queue is full. False when it is closed. */
bool queue_put(struct queue *queue, struct job job);

/* Does not wait: false when the queue is full or closed. */
bool queue_try_put(struct queue *queue, struct job job);

/* Waits while the queue is empty and open. False when it is empty and closed. */
bool queue_take(struct queue *queue, struct job *job);

/* Nothing can be put any more; what is in can still be taken. */
void queue_close(struct queue *queue);

#endif
