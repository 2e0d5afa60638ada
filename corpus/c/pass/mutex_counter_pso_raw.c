// Two threads count under a mutex. On a machine that ignores the orders of accesses, the mutex still protects.
//
// options: --mapping raw
// check: pso rf executions 2
// check: tso rf executions 2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *unused) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t left, right;
    pthread_create(&left, NULL, worker, NULL);
    pthread_create(&right, NULL, worker, NULL);
    pthread_join(left, NULL);
    pthread_join(right, NULL);
    assert(count == 2);
    return 0;
}
