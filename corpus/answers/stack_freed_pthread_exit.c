#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
_Atomic(int *) p;
static void leave(int *loc) { p = loc; pthread_exit(NULL); }
static void *t1(void *u) { int x = 0; leave(&x); return u; }
int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, t1, NULL);
    pthread_join(a, NULL);
    *p = 42; // the stack of t1 is gone
    return 0;
}
