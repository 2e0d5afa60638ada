#include <pthread.h>

// A function returns the address of its variable, and another thread uses it.
static int *shared;

static int *dangling(void) {
    int x = 4, *p = &x;
    return p;
}

static void *thread(void *unused) {
    *shared = 1;
    return unused;
}

int main(void) {
    pthread_t t;
    shared = dangling();
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    return 0;
}
