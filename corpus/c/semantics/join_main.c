// A thread joins the main thread, which joins it too, or ends by pthread_exit.
// expect: all => violation deadlock
// expect: all -- -DEXIT => verified
#include <pthread.h>
static pthread_t main_thread;
static void *child(void *u) {
    pthread_join(main_thread, 0);
    return u;
}
int main(void) {
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, 0, child, 0);
#ifdef EXIT
    pthread_exit(0);
#endif
    pthread_join(thread, 0);
    return 0;
}
