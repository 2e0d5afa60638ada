// check: rc11 rf executions 2
// check: tso co executions 2
// options: --reduce all
//
// Two threads meet at a barrier, and the last one learns that it is: both orders matter.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int last;

static void *worker(void *number) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        last = (int)(long)number;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, 0, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(last == 1 || last == 2);
    return 0;
}
