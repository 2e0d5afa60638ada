#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
#ifdef ATOMIC
static atomic_int done;
#define ST(v) atomic_store_explicit(&done, v, memory_order_relaxed)
#define LD() atomic_load_explicit(&done, memory_order_relaxed)
#else
static volatile int done;
#define ST(v) (done = v)
#define LD() (done)
#endif
static int *p;
static void *reader(void *u) { int v = *p; atomic_thread_fence(memory_order_seq_cst); ST(1); return (void *)(long)v; }
static void *freer(void *u) { if (LD()) { 
 atomic_thread_fence(memory_order_seq_cst); free(p); } return u; }
int main(void) {
    p = malloc(4); *p = 1;
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, freer, 0);
    pthread_join(a, 0); pthread_join(b, 0);
}
