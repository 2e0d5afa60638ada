// A flag that is volatile, without fences: the flag itself does not race, the message does.
// options: --volatile relaxed
// check: rc11 rf violation race
#include <pthread.h>

static int message;
static volatile int ready;

static void *writer(void *unused) {
    message = 42;
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    if (ready)
        return message;
    pthread_join(thread, 0);
}
