#include "queue.h"

#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif

bool queue_init(struct queue *queue, size_t capacity) {
    queue->jobs = calloc(capacity, sizeof *queue->jobs);
    if (queue->jobs == NULL)
        return false;
    queue->capacity = capacity;
    queue->first = 0;
    queue->n_jobs = 0;
    queue->closed = false;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    pthread_cond_init(&queue->not_full, NULL);
    return true;
}

void queue_destroy(struct queue *queue) {
    pthread_cond_destroy(&queue->not_full);
    pthread_cond_destroy(&queue->not_empty);
    pthread_mutex_destroy(&queue->lock);
    free(queue->jobs);
    queue->jobs = NULL;
}

/* The queue is locked and not full. */
static void append(struct queue *queue, struct job job) {
    queue->jobs[(queue->first + queue->n_jobs) % queue->capacity] = job;
    queue->n_jobs++;
    pthread_cond_signal(&queue->not_empty);
}

bool queue_put(struct queue *queue, struct job job) {
    pthread_mutex_lock(&queue->lock);
    while (queue->n_jobs == queue->capacity && !queue->closed)
        pthread_cond_wait(&queue->not_full, &queue->lock);
    bool is_open = !queue->closed;
    if (is_open)
        append(queue, job);
    pthread_mutex_unlock(&queue->lock);
    return is_open;
}

bool queue_try_put(struct queue *queue, struct job job) {
    pthread_mutex_lock(&queue->lock);
    bool has_room = !queue->closed && queue->n_jobs < queue->capacity;
    if (has_room)
        append(queue, job);
    pthread_mutex_unlock(&queue->lock);
    return has_room;
}

bool queue_take(struct queue *queue, struct job *job) {
    pthread_mutex_lock(&queue->lock);
    while (queue->n_jobs == 0 && !queue->closed)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    bool found = queue->n_jobs > 0;
    if (found) {
        *job = queue->jobs[queue->first];
        queue->first = (queue->first + 1) % queue->capacity;
        queue->n_jobs--;
        pthread_cond_signal(&queue->not_full);
    }
    pthread_mutex_unlock(&queue->lock);
    return found;
}

void queue_close(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
#if BUG != 2 /* Threads that wait for a job do not learn that none will come. */
    pthread_cond_broadcast(&queue->not_empty);
#endif
    pthread_cond_broadcast(&queue->not_full);
    pthread_mutex_unlock(&queue->lock);
}
