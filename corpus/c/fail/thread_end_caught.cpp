// A handler for everything swallows the end of a thread.
//
// check: rc11 rf violation abort 12
#include <pthread.h>
#include <mutex>

static void *thread(void *) {
    try {
        pthread_exit(nullptr);
    } catch (...) {
        // It must throw again; the C library stops the program.
    }
    return nullptr;
}

int main() {
    pthread_t t;
    pthread_create(&t, nullptr, thread, nullptr);
    pthread_join(t, nullptr);
}
