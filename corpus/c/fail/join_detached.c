// A detached thread cannot be joined.
//
// check: rc11 rf violation invalid-join 12
#include <pthread.h>

static void *worker(void *unused) { return NULL; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_detach(thread);
    pthread_join(thread, NULL);
    return 0;
}
