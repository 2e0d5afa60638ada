// The life of a semaphore, which has no static initialiser.
//
// check: -DCODES rc11 rf verified
// check: -DNEVER_WAIT rc11 rf violation lock-misuse
// check: -DNEVER_POST rc11 rf violation lock-misuse
// check: -DNEVER_DESTROY rc11 rf violation lock-misuse
// check: -DTWICE rc11 rf violation lock-misuse
// check: -DWAIT_DESTROYED rc11 rf violation lock-misuse
// check: -DPOST_DESTROYED sc rf violation lock-misuse
// check: -DVALUE_DESTROYED rc11 rf violation lock-misuse
// check: -DDESTROY_TWICE rc11 rf violation lock-misuse
// check: -DDESTROY_WAITED_FOR rc11 rf violation lock-misuse
// check: -DEMPTY rc11 rf violation deadlock
// check: -DPASSES rc11 rf verified
// check: -DPASSES tso co verified
// check: -DHEAP rc11 rf verified
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static sem_t s;
static int data;

static void *waits(void *unused) {
    assert(sem_wait(&s) == 0);
    data++;
    return unused;
}

int main(void) {
    struct timespec soon = {1, 0}, wrong = {1, -1};
    pthread_t t;
    int value;
    (void)soon, (void)wrong, (void)waits, (void)t, (void)value;
#ifdef CODES
    assert(sem_init(&s, 0, 1u + SEM_VALUE_MAX) == -1 && errno == EINVAL);
    for (int round = 0; round < 2; round++) {
        assert(sem_init(&s, 0, 1) == 0);
        assert(sem_post(&s) == 0);
        assert(sem_getvalue(&s, &value) == 0 && value == 2);
        assert(sem_wait(&s) == 0);
        assert(sem_trywait(&s) == 0);
        assert(sem_trywait(&s) == -1 && errno == EAGAIN);
        assert(sem_timedwait(&s, &soon) == -1 && errno == ETIMEDOUT);
        assert(sem_timedwait(&s, &wrong) == -1 && errno == EINVAL);
        assert(sem_post(&s) == 0);
        assert(sem_timedwait(&s, &wrong) == 0);
        assert(sem_destroy(&s) == 0);
    }
    assert(sem_init(&s, 0, SEM_VALUE_MAX) == 0);
    assert(sem_post(&s) == -1 && errno == EOVERFLOW);
    assert(sem_getvalue(&s, &value) == 0 && value == SEM_VALUE_MAX);
#elif defined NEVER_WAIT
    sem_wait(&s);
#elif defined NEVER_POST
    sem_post(&s);
#elif defined NEVER_DESTROY
    sem_destroy(&s);
#elif defined TWICE
    sem_init(&s, 0, 0);
    sem_init(&s, 0, 0);
#elif defined WAIT_DESTROYED
    sem_init(&s, 0, 1);
    sem_destroy(&s);
    sem_wait(&s);
#elif defined POST_DESTROYED
    sem_init(&s, 0, 1);
    sem_destroy(&s);
    sem_post(&s);
#elif defined VALUE_DESTROYED
    sem_init(&s, 0, 1);
    sem_destroy(&s);
    sem_getvalue(&s, &value);
#elif defined DESTROY_TWICE
    sem_init(&s, 0, 1);
    sem_destroy(&s);
    sem_destroy(&s);
#elif defined DESTROY_WAITED_FOR
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, waits, 0);
    sem_destroy(&s);
#elif defined EMPTY
    sem_init(&s, 0, 0);
    sem_wait(&s);
#elif defined PASSES
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, waits, 0);
    data++;
    sem_post(&s);
    pthread_join(t, 0);
    assert(data == 2);
    sem_destroy(&s);
#elif defined HEAP
    sem_t *heap = malloc(sizeof *heap);
    sem_init(heap, 0, 1);
    sem_wait(heap);
    sem_destroy(heap);
    free(heap);
#else
#error "no case"
#endif
    return 0;
}
