// check: rc11 rf executions 1
// check: rc11 co executions 1
// check: sc rf executions 1
// check: tso co executions 1
// options: --reduce all
//
// Three threads meet twice at a barrier. In which order they arrive does not matter; what they write in one round is read
// in the next.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int written[3];

static void *worker(void *number) {
    long own = (long)number;
    written[own] = 1;
    pthread_barrier_wait(&barrier);
    assert(written[(own + 1) % 3] == 1);
    pthread_barrier_wait(&barrier);
    written[(own + 2) % 3] = 2;
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, 0, 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    pthread_barrier_destroy(&barrier);
    for (int i = 0; i < 3; i++)
        assert(written[i] == 2);
    return 0;
}
