// When main returns, the program ends: a thread that joins the main thread does not come back from it. One that ends by
// pthread_exit can be joined.
// expect: all => verified
// expect: all -- -DEXIT => violation assertion
#include <assert.h>
#include <pthread.h>
static pthread_t main_thread;
static void *child(void *u) {
    pthread_join(main_thread, 0);
    assert(0);
    return u;
}
int main(void) {
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, 0, child, 0);
#ifdef EXIT
    pthread_exit(0);
#endif
    return 0;
}
