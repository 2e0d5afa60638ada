#include <pthread.h>

// The address of a variable leaves the thread as its result.
static void *thread(void *unused) {
    (void)unused;
    int x = 4, *p = &x;
    return p;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, &result);
    return *(int *)result;
}
