// The flag is raised with a relaxed store: the message may be read before it is there.
//
// check: rc11 rf violation assertion 20
// check: sc rf executions 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int ready;

static void *writer(void *unused) {
    message = 42;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(message == 42);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
