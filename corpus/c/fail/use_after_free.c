// One thread frees what the other one reads.
//
// check: rc11 rf violation use-after-free 10
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *reader(void *out) { *(int *)out = *atomic_load(&shared); return NULL; }

int main(void) {
    static int seen;
    int *p = malloc(sizeof *p);
    *p = 1;
    atomic_store(&shared, p);
    pthread_t thread;
    pthread_create(&thread, NULL, reader, &seen);
    free(p);
    pthread_join(thread, NULL);
    return 0;
}
