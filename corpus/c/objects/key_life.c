// Thread-specific values: the life of keys, and when their destructors run.
//
// check: -DROUNDS rc11 rf verified
// check: -DDELETED rc11 rf verified
// check: -DLIMIT rc11 rf verified
// check: -DLIMIT -DDELETES rc11 rf verified
// check: -DMAIN_EXITS rc11 rf verified
// check: -DMAIN_RETURNS rc11 rf verified
// check: -DNEVER rc11 rf violation lock-misuse
// check: -DGET_DELETED rc11 rf violation lock-misuse
// check: -DSET_DELETED rc11 rf violation lock-misuse
// check: -DDELETE_TWICE rc11 rf violation lock-misuse
// check: -DC11 rc11 rf verified
// check: -DTHREAD_EXITS rc11 rf verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>

static pthread_key_t k, l;
static int n;

static void counts(void *value) {
    n++;
    assert(pthread_getspecific(k) == 0);
    (void)value;
}

static void sets_again(void *value) {
    n++;
    pthread_setspecific(k, value);
}

static void sets_other(void *value) {
    pthread_setspecific(k, value);
}

static void fails(void *value) {
    assert(!value);
}

static void *sets(void *value) {
    pthread_setspecific(k, value);
    return 0;
}

static void *sets_l(void *value) {
    assert(pthread_getspecific(l) == 0);
    pthread_setspecific(l, value);
    assert(pthread_getspecific(l) == value);
    return 0;
}

static void *sets_and_exits(void *value) {
    pthread_setspecific(k, value);
    pthread_exit(0);
}

static int sets_and_returns(void *value) {
    tss_set(k, value);
    return 3;
}

static atomic_int seen;

static void *looks(void *unused) {
    while (!seen)
        ;
    return unused;
}

static void notes(void *value) {
    seen = 1;
    (void)value;
}

int main(void) {
    pthread_t t;
    int result;
    (void)counts, (void)sets_again, (void)sets_other, (void)fails, (void)sets, (void)sets_l, (void)t, (void)l;
    (void)sets_and_exits, (void)sets_and_returns, (void)looks, (void)notes, (void)result;
#ifdef ROUNDS
    pthread_key_create(&k, sets_again);
    pthread_create(&t, 0, sets, &n);
    pthread_join(t, 0);
    assert(n == 4);
    n = 0;
    pthread_key_create(&k, counts);
    pthread_key_create(&l, sets_other);
    pthread_create(&t, 0, sets_l, &n);
    pthread_join(t, 0);
    assert(n == 1);
#elif defined DELETED
    pthread_key_create(&k, fails);
    pthread_setspecific(k, &n);
    assert(pthread_getspecific(k) == &n);
    assert(pthread_key_delete(k) == 0);
    pthread_key_create(&l, 0);
    assert(pthread_getspecific(l) == 0);
    pthread_create(&t, 0, sets_l, &n);
    pthread_join(t, 0);
#elif defined LIMIT
    for (int i = 0; i < 1024; i++)
        assert(pthread_key_create(&k, 0) == 0);
    assert(pthread_key_create(&l, 0) == EAGAIN);
#ifdef DELETES
    assert(pthread_key_delete(k) == 0);
    assert(pthread_key_create(&k, 0) == 0);
    assert(pthread_key_create(&l, 0) == EAGAIN);
#endif
#elif defined MAIN_EXITS
    pthread_key_create(&k, notes);
    pthread_setspecific(k, &n);
    pthread_create(&t, 0, looks, 0);
    pthread_exit(0);
#elif defined MAIN_RETURNS
    pthread_key_create(&k, fails);
    pthread_setspecific(k, &n);
#elif defined NEVER
    pthread_setspecific(k, &n);
#elif defined GET_DELETED
    pthread_key_create(&k, 0);
    pthread_key_delete(k);
    pthread_getspecific(k);
#elif defined SET_DELETED
    pthread_key_create(&k, 0);
    pthread_key_delete(k);
    pthread_setspecific(k, &n);
#elif defined DELETE_TWICE
    pthread_key_create(&k, 0);
    pthread_key_delete(k);
    pthread_key_delete(k);
#elif defined C11
    thrd_t u;
    assert(tss_create(&k, counts) == thrd_success);
    assert(thrd_create(&u, sets_and_returns, &n) == thrd_success);
    assert(thrd_join(u, &result) == thrd_success);
    assert(result == 3 && n == 1);
#elif defined THREAD_EXITS
    pthread_key_create(&k, counts);
    pthread_create(&t, 0, sets_and_exits, &n);
    pthread_join(t, 0);
    assert(n == 1);
#else
#error "no case"
#endif
    return 0;
}
