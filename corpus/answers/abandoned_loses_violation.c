#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
#ifdef SWAP
#define BAD 1
#else
#define BAD 0
#endif
static void *writer(void *u) { atomic_store(&y, 1); return u; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, writer, 0);
    int a = y;
    assert(a != BAD);
    for (;;) {
        atomic_fetch_add(&x, 1);
        atomic_fetch_sub(&x, 1);
    }
}
