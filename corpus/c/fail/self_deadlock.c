// A plain mutex is locked twice by the same thread.
//
// check: rc11 rf violation deadlock 10
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    return 0;
}
