// The life of a barrier, which has no static initialiser.
//
// check: -DCODES rc11 rf verified
// check: -DNEVER rc11 rf violation lock-misuse
// check: -DNEVER_DESTROY rc11 rf violation lock-misuse
// check: -DTWICE rc11 rf violation lock-misuse
// check: -DWAIT_DESTROYED rc11 rf violation lock-misuse
// check: -DDESTROY_TWICE rc11 rf violation lock-misuse
// check: -DDESTROY_WAITED_FOR rc11 rf violation lock-misuse
// check: -DDESTROY_OR_WAIT sc rf violation lock-misuse
// check: -DTOO_FEW rc11 rf violation deadlock
// check: -DROUNDS rc11 rf verified
// check: -DROUNDS tso co verified
// check: -DFREED_AT_ONCE rc11 rf verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t b;
static int data[2], n_serial;

static void *waits(void *unused) {
    pthread_barrier_wait(&b);
    return unused;
}

static void *rounds(void *argument) {
    int me = (int)(long)argument;
    for (int round = 1; round <= 2; round++) {
        data[me] = round;
        if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
            n_serial++;
        assert(data[1 - me] == round);
        pthread_barrier_wait(&b);
    }
    return 0;
}

static void *leaves(void *argument) {
    pthread_barrier_t *shared = argument;
    if (pthread_barrier_wait(shared) == PTHREAD_BARRIER_SERIAL_THREAD) {
        assert(pthread_barrier_destroy(shared) == 0);
        free(shared);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    (void)waits, (void)rounds, (void)leaves, (void)t;
#ifdef CODES
    assert(pthread_barrier_init(&b, 0, 0) == EINVAL);
    for (int round = 0; round < 2; round++) {
        assert(pthread_barrier_init(&b, 0, 1) == 0);
        assert(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
        assert(pthread_barrier_destroy(&b) == 0);
    }
#elif defined NEVER
    pthread_barrier_wait(&b);
#elif defined NEVER_DESTROY
    pthread_barrier_destroy(&b);
#elif defined TWICE
    pthread_barrier_init(&b, 0, 42);
    pthread_barrier_init(&b, 0, 17);
#elif defined WAIT_DESTROYED
    pthread_barrier_init(&b, 0, 1);
    pthread_barrier_destroy(&b);
    pthread_barrier_wait(&b);
#elif defined DESTROY_TWICE
    pthread_barrier_init(&b, 0, 1);
    pthread_barrier_destroy(&b);
    pthread_barrier_destroy(&b);
#elif defined DESTROY_WAITED_FOR
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, waits, 0);
    pthread_barrier_destroy(&b);
#elif defined DESTROY_OR_WAIT
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, waits, 0);
    pthread_barrier_destroy(&b);
    pthread_join(t, 0);
#elif defined TOO_FEW
    pthread_barrier_init(&b, 0, 2);
    pthread_barrier_wait(&b);
#elif defined ROUNDS
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, rounds, (void *)1);
    rounds(0);
    pthread_join(t, 0);
    assert(n_serial == 2);
    pthread_barrier_destroy(&b);
#elif defined FREED_AT_ONCE
    pthread_barrier_t *shared = malloc(sizeof *shared);
    pthread_barrier_init(shared, 0, 2);
    pthread_create(&t, 0, leaves, shared);
    leaves(shared);
    pthread_join(t, 0);
#else
#error "no case"
#endif
    return 0;
}
