// Both threads free the same object.
//
// check: rc11 rf violation double-free 8
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *object) {
    free(object);
    return NULL;
}

int main(void) {
    pthread_t thread;
    void *object = malloc(8);
    pthread_create(&thread, NULL, worker, object);
    free(object);
    pthread_join(thread, NULL);
    return 0;
}
