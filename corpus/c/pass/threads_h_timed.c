// check: rc11 rf verified
// check: tso rf verified
//
// The rest of C11 threads: time limits, thread-specific values with destructors, and the result of a thread.
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t lock, timed;
static cnd_t cond;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int ready, n_calls, n_destroyed;
static void initialise(void) { n_calls++; }
static void destroy(void *value) { assert(value == &ready), n_destroyed++; }

static int worker(void *unused) {
    struct timespec soon;
    timespec_get(&soon, TIME_UTC);
    call_once(&once, initialise);
    tss_set(key, &ready);
    assert(tss_get(key) == &ready);
    int code = mtx_timedlock(&timed, &soon);
    assert(code == thrd_success || code == thrd_timedout);
    if (code == thrd_success)
        mtx_unlock(&timed);
    mtx_lock(&lock);
    while (!ready && cnd_timedwait(&cond, &lock, &soon) != thrd_timedout) {
    }
    mtx_unlock(&lock);
    thrd_exit(3);
}

int main(void) {
    thrd_t t;
    int result;
    mtx_init(&lock, mtx_plain), mtx_init(&timed, mtx_timed), cnd_init(&cond), tss_create(&key, destroy);
    thrd_create(&t, worker, 0);
    call_once(&once, initialise);
    mtx_lock(&timed), mtx_lock(&lock);
    ready = 1;
    cnd_signal(&cond);
    mtx_unlock(&lock), mtx_unlock(&timed);
    thrd_join(t, &result);
    assert(result == 3 && n_calls == 1 && n_destroyed == 1);
    return 0;
}
