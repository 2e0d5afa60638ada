// The life of a spin lock, which has no static initialiser.
//
// check: -DCODES rc11 rf verified
// check: -DNEVER rc11 rf violation lock-misuse
// check: -DNEVER_DESTROY rc11 rf violation lock-misuse
// check: -DTWICE rc11 rf violation lock-misuse
// check: -DLOCK_DESTROYED rc11 rf violation lock-misuse
// check: -DTRYLOCK_DESTROYED sc rf violation lock-misuse
// check: -DDESTROY_TWICE rc11 rf violation lock-misuse
// check: -DDESTROY_HELD rc11 rf violation lock-misuse
// check: -DUNLOCK_FREE rc11 rf violation lock-misuse
// check: -DSELF rc11 rf violation lock-misuse
// check: -DCOUNT rc11 rf executions 6
// check: -DCOUNT sc rf executions 6
// check: -DHEAP rc11 rf verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_spinlock_t s;
static int n;

static void *add(void *unused) {
    pthread_spin_lock(&s);
    n++;
    pthread_spin_unlock(&s);
    return unused;
}

int main(void) {
    (void)add, (void)n;
#ifdef CODES
    for (int round = 0; round < 2; round++) {
        assert(pthread_spin_init(&s, 0) == 0);
        assert(pthread_spin_lock(&s) == 0);
        assert(pthread_spin_trylock(&s) == EBUSY);
        assert(pthread_spin_unlock(&s) == 0);
        assert(pthread_spin_trylock(&s) == 0);
        assert(pthread_spin_unlock(&s) == 0);
        assert(pthread_spin_destroy(&s) == 0);
    }
#elif defined NEVER
    pthread_spin_lock(&s);
#elif defined NEVER_DESTROY
    pthread_spin_destroy(&s);
#elif defined TWICE
    pthread_spin_init(&s, 0);
    pthread_spin_init(&s, 0);
#elif defined LOCK_DESTROYED
    pthread_spin_init(&s, 0);
    pthread_spin_destroy(&s);
    pthread_spin_lock(&s);
#elif defined TRYLOCK_DESTROYED
    pthread_spin_init(&s, 0);
    pthread_spin_destroy(&s);
    pthread_spin_trylock(&s);
#elif defined DESTROY_TWICE
    pthread_spin_init(&s, 0);
    pthread_spin_destroy(&s);
    pthread_spin_destroy(&s);
#elif defined DESTROY_HELD
    pthread_spin_init(&s, 0);
    pthread_spin_lock(&s);
    pthread_spin_destroy(&s);
#elif defined UNLOCK_FREE
    pthread_spin_init(&s, 0);
    pthread_spin_unlock(&s);
#elif defined SELF
    pthread_spin_init(&s, 0);
    pthread_spin_lock(&s);
    pthread_spin_lock(&s);
#elif defined COUNT
    pthread_t t[3];
    pthread_spin_init(&s, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(n == 3);
#elif defined HEAP
    pthread_spinlock_t *locks = malloc(2 * sizeof *locks);
    pthread_spin_init(&locks[0], 0);
    pthread_spin_init(&locks[1], 0);
    pthread_spin_lock(&locks[1]);
    pthread_spin_unlock(&locks[1]);
    free((void *)locks);
#else
#error "no case"
#endif
    return 0;
}
