// Bit-fields beside each other are one memory location.
//
// check: rc11 rf violation race 16
#include <pthread.h>

static struct { unsigned ready : 1, closed : 1; } flags;

static void *closer(void *unused) {
    flags.closed = 1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, closer, NULL);
    flags.ready = 1;
    pthread_join(thread, NULL);
    return 0;
}
