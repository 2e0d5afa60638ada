// Two threads write a field of an element of an array in a struct.
//
// check: rc11 rf violation race 10
#include <pthread.h>

struct slot { int key, value; };
static struct { struct slot slots[4]; int n; } queue;

static void *writer(void *unused) {
    queue.slots[2].value = 1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    queue.slots[2].value = 2;
    pthread_join(thread, NULL);
    return 0;
}
