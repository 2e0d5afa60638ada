// Jumps out of functions, within a thread.
//
// check: rc11 rf verified
// check: sc co verified
// check: -O2 rc11 rf verified
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Thread_local jmp_buf handler;
static atomic_int n_failures;
static int *published;

__attribute__((noinline)) static void fail(int code) {
    longjmp(handler, code);
}

// Leaves a function with a stack object that another function knows.
__attribute__((noinline)) static int work(int n) {
    int local[2] = {n, n + 1};
    published = local;
    if (n > 1) fail(n);
    return published[0];
}

// Sets another place to return to, and restores the old one.
__attribute__((noinline)) static int nested(int n) {
    jmp_buf outer;
    for (int i = 0; i < 10; i++) ((char *)&outer)[i] = 0;
    __builtin_memcpy(&outer, &handler, sizeof outer);
    volatile int result = 0;
    if (setjmp(handler) == 0) {
        result = work(n);
    } else {
        result = -1;
    }
    __builtin_memcpy(&handler, &outer, sizeof outer);
    return result;
}

static void sequential(void) {
    volatile int tries = 0;
    int code = setjmp(handler);
    if (tries < 3) {
        assert(code == (tries == 0 ? 0 : tries + 1));
        tries++;
        fail(tries + 1);
    }
    assert(code == 4);
    assert(nested(1) == 1);
    assert(nested(5) == -1);
    switch (setjmp(handler)) {
    case 0: fail(0); break;
    case 1: break;
    default: assert(0);
    }
    jmp_buf here;
    if (!_setjmp(here)) _longjmp(here, 7);
    sigjmp_buf with_mask;
    volatile int again = sigsetjmp(with_mask, 1);
    if (!again) siglongjmp(with_mask, 2);
    assert(again == 2);
}

static void *thread(void *argument) {
    int n = (int)(long)argument;
    volatile int done = 0;
    if (setjmp(handler)) {
        atomic_fetch_add(&n_failures, 1);
        done = 1;
    } else {
        atomic_fetch_add(&n_failures, 10);
        fail(n);
    }
    return (void *)(long)done;
}

int main(void) {
    sequential();
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, thread, (void *)(i + 1));
    for (int i = 0; i < 2; i++) {
        void *value;
        pthread_join(threads[i], &value);
        assert(value == (void *)1);
    }
    assert(n_failures == 22);
}
