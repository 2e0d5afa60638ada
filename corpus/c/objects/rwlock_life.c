// The life of a read-write lock, and which threads hold it.
//
// check: -DCODES rc11 rf verified
// check: -DTWICE rc11 rf violation lock-misuse
// check: -DREAD_DESTROYED rc11 rf violation lock-misuse
// check: -DWRITE_DESTROYED sc rf violation lock-misuse
// check: -DTRY_DESTROYED tso co violation lock-misuse
// check: -DDESTROY_TWICE rc11 rf violation lock-misuse
// check: -DDESTROY_READ rc11 rf violation lock-misuse
// check: -DDESTROY_WRITTEN rc11 rf violation lock-misuse
// check: -DUNLOCK_FREE rc11 rf violation lock-misuse
// check: -DUNLOCK_READ_ELSEWHERE rc11 rf violation lock-misuse
// check: -DUNLOCK_WRITTEN_ELSEWHERE rc11 rf violation lock-misuse
// check: -DWRITE_WRITE rc11 rf violation deadlock
// check: -DREAD_WRITE rc11 rf violation deadlock
// check: -DWRITE_READ rc11 rf violation deadlock
// check: -DREAD_READ rc11 rf verified
// check: -DREADERS rc11 rf verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int data;

static void *unlocks(void *unused) {
    pthread_rwlock_unlock(&l);
    return unused;
}

static void *reads(void *unused) {
    pthread_rwlock_rdlock(&l);
    int seen = data;
    assert(seen == 0 || seen == 2);
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void) {
    struct timespec soon = {1, 0}, wrong = {1, -1};
    pthread_t t, u;
    (void)soon, (void)wrong, (void)t, (void)u, (void)unlocks, (void)reads;
#ifdef CODES
    for (int round = 0; round < 2; round++) {
        assert(pthread_rwlock_rdlock(&l) == 0);
        assert(pthread_rwlock_tryrdlock(&l) == 0);
        assert(pthread_rwlock_trywrlock(&l) == EBUSY);
        assert(pthread_rwlock_timedwrlock(&l, &soon) == ETIMEDOUT);
        assert(pthread_rwlock_timedwrlock(&l, &wrong) == EINVAL);
        assert(pthread_rwlock_timedrdlock(&l, &soon) == 0);
        for (int n = 0; n < 3; n++)
            assert(pthread_rwlock_unlock(&l) == 0);
        assert(pthread_rwlock_wrlock(&l) == 0);
        assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
        assert(pthread_rwlock_trywrlock(&l) == EBUSY);
        assert(pthread_rwlock_timedrdlock(&l, &soon) == ETIMEDOUT);
        assert(pthread_rwlock_timedrdlock(&l, &wrong) == EINVAL);
        assert(pthread_rwlock_unlock(&l) == 0);
        assert(pthread_rwlock_destroy(&l) == 0);
        assert(pthread_rwlock_init(&l, 0) == 0);
    }
#elif defined TWICE
    pthread_rwlock_init(&l, 0);
    pthread_rwlock_init(&l, 0);
#elif defined READ_DESTROYED
    pthread_rwlock_destroy(&l);
    pthread_rwlock_rdlock(&l);
#elif defined WRITE_DESTROYED
    pthread_rwlock_destroy(&l);
    pthread_rwlock_wrlock(&l);
#elif defined TRY_DESTROYED
    pthread_rwlock_destroy(&l);
    pthread_rwlock_tryrdlock(&l);
#elif defined DESTROY_TWICE
    pthread_rwlock_destroy(&l);
    pthread_rwlock_destroy(&l);
#elif defined DESTROY_READ
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_destroy(&l);
#elif defined DESTROY_WRITTEN
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_destroy(&l);
#elif defined UNLOCK_FREE
    pthread_rwlock_unlock(&l);
#elif defined UNLOCK_READ_ELSEWHERE
    pthread_rwlock_rdlock(&l);
    pthread_create(&t, 0, unlocks, 0);
    pthread_join(t, 0);
#elif defined UNLOCK_WRITTEN_ELSEWHERE
    pthread_rwlock_wrlock(&l);
    pthread_create(&t, 0, unlocks, 0);
    pthread_join(t, 0);
#elif defined WRITE_WRITE
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_wrlock(&l);
#elif defined READ_WRITE
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_wrlock(&l);
#elif defined WRITE_READ
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_rdlock(&l);
#elif defined READ_READ
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
#elif defined READERS
    pthread_create(&t, 0, reads, 0);
    pthread_create(&u, 0, reads, 0);
    pthread_rwlock_wrlock(&l);
    data++;
    data++;
    pthread_rwlock_unlock(&l);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_rwlock_destroy(&l);
#else
#error "no case"
#endif
    return 0;
}
