// Two threads join each other, or one of them ends without.
// expect: all => violation deadlock
// expect: all -- -DONE => verified
#include <pthread.h>
#include <stdatomic.h>
static pthread_t a, b;
static atomic_int ready;
static void *first(void *u) {
    while (!ready) {}
    pthread_join(b, 0);
    return u;
}
static void *second(void *u) {
    while (!ready) {}
#ifndef ONE
    pthread_join(a, 0);
#endif
    return u;
}
int main(void) {
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    ready = 1;
    pthread_exit(0);
}
