// Workers with a queue each, which steal from each other when theirs is empty. A thief takes the other queue's lock with
// a trylock while it holds its own, so that two thieves do not wait for each other.
//
// BUG=1: the thief waits for the other queue's lock.
// BUG=2: the stolen task is read before the lock is taken.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock 34
// check: -DBUG=2 sc rf violation assertion 60
// check: -DBUG=2 rc11 rf violation race 30
#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif
#define WORKERS 2
#define ROOM 4

struct queue {
    pthread_mutex_t mutex;
    int tasks[ROOM], n_tasks;
};

static struct queue queues[WORKERS] = {{.mutex = PTHREAD_MUTEX_INITIALIZER}, {.mutex = PTHREAD_MUTEX_INITIALIZER}};
static int done[ROOM + 1];

static int pop(struct queue *queue) { return queue->n_tasks > 0 ? queue->tasks[--queue->n_tasks] : 0; }

static int steal(struct queue *from) {
#if BUG == 1
    pthread_mutex_lock(&from->mutex);
#elif BUG == 2
    int early = from->n_tasks > 0 ? from->tasks[from->n_tasks - 1] : 0;
    if (pthread_mutex_trylock(&from->mutex) != 0)
        return 0;
#else
    if (pthread_mutex_trylock(&from->mutex) != 0)
        return 0;
#endif
    int task = pop(from);
#if BUG == 2
    task = early;
#endif
    pthread_mutex_unlock(&from->mutex);
    return task;
}

static void *worker(void *argument) {
    struct queue *mine = argument, *other = &queues[mine == queues];
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&mine->mutex);
        int task = pop(mine);
        if (!task)
            task = steal(other);
        pthread_mutex_unlock(&mine->mutex);
        if (task)
            assert(++done[task] == 1);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[WORKERS];
    queues[0].tasks[queues[0].n_tasks++] = 1;
    queues[0].tasks[queues[0].n_tasks++] = 2;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, &queues[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
