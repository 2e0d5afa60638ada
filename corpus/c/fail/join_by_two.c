// Two threads join the same one.
//
// check: rc11 rf violation invalid-join
// check: rc11 co violation invalid-join
// check: -DONE rc11 rf executions 1
#include <pthread.h>

static pthread_t joined;

static void *worker(void *unused) { return unused; }
static void *joiner(void *unused) {
    pthread_join(joined, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&joined, 0, worker, 0);
    pthread_create(&thread, 0, joiner, 0);
    pthread_join(thread, 0);
#ifndef ONE
    pthread_join(joined, 0);
#endif
    return 0;
}
