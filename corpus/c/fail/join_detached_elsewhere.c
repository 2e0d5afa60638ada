// A thread that detaches itself, or is detached by another one, cannot be joined, whatever comes first.
//
// check: rc11 rf violation invalid-join
// check: -DBY_OTHER rc11 rf violation invalid-join
// check: -DBY_OTHER sc co violation invalid-join
// check: -DRIGHT rc11 rf executions 1
#include <pthread.h>

static pthread_t thread;

static void *worker(void *unused) {
#if !defined BY_OTHER && !defined RIGHT
    pthread_detach(pthread_self());
#endif
    return unused;
}
static void *detacher(void *unused) {
    pthread_detach(thread);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&thread, 0, worker, 0);
#if defined BY_OTHER || defined RIGHT
    pthread_create(&other, 0, detacher, 0);
#endif
#ifndef RIGHT
    pthread_join(thread, 0);
#else
    pthread_join(other, 0);
#endif
    return 0;
}
