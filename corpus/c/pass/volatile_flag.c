// A flag that is volatile instead of atomic, with fences, as code from before C11 has it.
// options: --volatile relaxed
// check: rc11 rf executions 2
#include <assert.h>
#include <pthread.h>

static int message;
static volatile int ready;

static void *writer(void *unused) {
    message = 42;
    __sync_synchronize();
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    if (ready) {
        __sync_synchronize();
        assert(message == 42);
    }
    pthread_join(thread, 0);
}
