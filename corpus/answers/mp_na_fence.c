#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#ifdef ATOMIC
static atomic_int ready;
#define ST(v) atomic_store_explicit(&ready, v, memory_order_relaxed)
#define LD() atomic_load_explicit(&ready, memory_order_relaxed)
#else
static volatile int ready;
#define ST(v) (ready = v)
#define LD() (ready)
#endif
static int data;
static void *w(void *u) { data = 42; atomic_thread_fence(FENCE); ST(1); return u; }
static void *r(void *u) { if (LD()) { atomic_thread_fence(FENCE); assert(data == 42); } return u; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, w, 0);
    pthread_create(&b, 0, r, 0);
    pthread_join(a, 0); pthread_join(b, 0);
}
