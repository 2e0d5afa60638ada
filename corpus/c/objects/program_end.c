// What runs at the end of the program, and in which order.
//
// check: -DRETURN rc11 rf verified
// check: -DEXIT rc11 rf verified
// check: -DEXIT_IN_THREAD rc11 rf verified
// check: -DRETURN -DWRONG rc11 rf violation assertion
// check: -DEXIT -DWRONG rc11 rf violation assertion
// check: -DEXIT_IN_THREAD -DWRONG rc11 rf violation assertion
// check: -DQUICK rc11 rf verified
// check: -DQUICK -DWRONG rc11 rf violation assertion
// check: -D_EXIT -DWRONG rc11 rf verified
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int step;

static void first(void) {
    assert(step++ == 0);
}

static void second(void) {
    assert(step++ == 1);
}

__attribute__((destructor(300))) static void third(void) {
    assert(step++ == 2);
}

__attribute__((destructor(200))) static void fourth(void) {
    assert(step++ == 3);
#ifdef WRONG
    assert(0);
#endif
}

static void quick(void) {
    assert(step == 0);
#ifdef WRONG
    assert(0);
#endif
}

static void *exits(void *unused) {
    exit((int)(long)unused);
}

int main(void) {
    (void)exits;
    atexit(second);
    atexit(first);
    at_quick_exit(quick);
#ifdef EXIT
    exit(0);
#elif defined EXIT_IN_THREAD
    pthread_t t;
    pthread_create(&t, 0, exits, 0);
    pthread_join(t, 0);
#elif defined QUICK
    quick_exit(0);
#elif defined _EXIT
    _Exit(0);
#endif
    return 0;
}
