// A completion as kernels have it: one thread waits, on an object on its own stack, until another has finished its work.
//
// BUG=1: the flag is set first and the waiter notified afterwards, outside the lock: the waiter may see the flag and
//        return, and the object is gone when it is notified.
// BUG=2: the waiter looks at the flag without the lock, as an ordinary variable.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation use-after-free 70
// check: -DBUG=2 rc11 rf violation race 79
// check: -DBUG=2 tso rf verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif

struct completion {
    pthread_mutex_t mutex;
    pthread_cond_t done;
    atomic_bool is_done;
};

struct request {
    int block, answer;
    struct completion completion;
};

static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static struct request *queued;

static void complete(struct completion *it) {
    if (BUG == 1) {
        it->is_done = true;
        pthread_mutex_lock(&it->mutex);
        pthread_cond_signal(&it->done);
        pthread_mutex_unlock(&it->mutex);
        return;
    }
    pthread_mutex_lock(&it->mutex);
    it->is_done = true;
    pthread_cond_signal(&it->done);
    pthread_mutex_unlock(&it->mutex);
}

static void wait_for(struct completion *it) {
    pthread_mutex_lock(&it->mutex);
    while (!it->is_done)
        pthread_cond_wait(&it->done, &it->mutex);
    pthread_mutex_unlock(&it->mutex);
}

static int read_block(int block) {
    struct request request = {.block = block,
                              .completion = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false}};
    pthread_mutex_lock(&queue_mutex);
    queued = &request;
    pthread_cond_signal(&queue_filled);
    pthread_mutex_unlock(&queue_mutex);
#if BUG == 2
    while (!request.answer)
        ;
#endif
    wait_for(&request.completion);
    return request.answer;
}

static void *driver(void *unused) {
    pthread_mutex_lock(&queue_mutex);
    while (!queued)
        pthread_cond_wait(&queue_filled, &queue_mutex);
    struct request *request = queued;
    pthread_mutex_unlock(&queue_mutex);
    request->answer = request->block * 512;
    complete(&request->completion);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, driver, NULL);
    assert(read_block(3) == 1536);
    pthread_join(thread, NULL);
    return 0;
}
