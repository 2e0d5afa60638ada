#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *slot;
#ifdef REL
#define GET() __atomic_load_n(&slot, __ATOMIC_RELAXED)
#define PUT(v) __atomic_store_n(&slot, v, __ATOMIC_RELAXED)
#else
#define GET() slot
#define PUT(v) slot = v
#endif
static void *writer(void *u) {
    int *m = malloc(sizeof *m);
    *m = 42;
    atomic_thread_fence(memory_order_seq_cst);
    PUT(m);
    return u;
}
static void *reader(void *u) {
    int *m = GET();
    atomic_thread_fence(memory_order_seq_cst);
    if (m) assert(*m == 42);
    return u;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
