// A table of zeroes that another thread finds before it may.
// check: rc11 rf violation invalid-access 9
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int *_Atomic table;
static void *reader(void *unused) {
    int *known = atomic_load_explicit(&table, memory_order_relaxed);
    return known && known[300] ? (void *)known : 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    atomic_store_explicit(&table, calloc(1000, sizeof(int)), memory_order_relaxed);
    pthread_join(t, 0);
    return 0;
}
