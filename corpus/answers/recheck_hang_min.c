#include <stdlib.h>
#include <pthread.h>
#ifndef N
#define N 2000
#endif
static volatile int a[N]; static int x;
static void *t(void *u) { x = 1; return u; }
int main(void) {
    for (int i = 0; i < N; i++) a[i] = i;
    pthread_t p, q;
    pthread_create(&p, 0, t, 0);
    pthread_create(&q, 0, t, 0);
    pthread_join(p, 0); pthread_join(q, 0);
}
