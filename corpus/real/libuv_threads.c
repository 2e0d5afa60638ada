// libuv's locks: two threads write below a reader-writer lock, meet at a barrier and read; main waits for a semaphore.
// source: libuv1
// file: $libuv1/src/threadpool.c
// file: $libuv1/src/uv-common.c
// file: $libuv1/src/unix/core.c
// file: $libuv1/src/unix/proctitle.c
// file: $libuv1/src/unix/signal.c
// file: $libuv1/src/unix/thread.c
// flags: -I $libuv1/include -I $libuv1/src -D_GNU_SOURCE
// check: | verified, 30720 executions
// check: -- -DREAD_LOCK | race
#include <assert.h>
#include <uv.h>

static uv_rwlock_t lock;
static uv_sem_t posted;
static uv_barrier_t barrier;
static uv_once_t once = UV_ONCE_INIT;
static int data, n_calls;

static void count_calls(void) { n_calls++; }

static void run(void *unused) {
    (void)unused;
    uv_once(&once, count_calls);
#ifdef READ_LOCK
    uv_rwlock_rdlock(&lock);
    data++;
    uv_rwlock_rdunlock(&lock);
#else
    uv_rwlock_wrlock(&lock);
    data++;
    uv_rwlock_wrunlock(&lock);
#endif
    uv_sem_post(&posted);
    if (uv_barrier_wait(&barrier))
        uv_barrier_destroy(&barrier);
    uv_rwlock_rdlock(&lock);
    assert(data == 2 && n_calls == 1);
    uv_rwlock_rdunlock(&lock);
}

int main(void) {
    uv_rwlock_init(&lock);
    uv_sem_init(&posted, 0);
    uv_barrier_init(&barrier, 2);
    uv_thread_t threads[2];
    for (int i = 0; i < 2; i++)
        uv_thread_create(&threads[i], run, 0);
    for (int i = 0; i < 2; i++)
        uv_sem_wait(&posted);
    uv_rwlock_rdlock(&lock);
    assert(data == 2);
    uv_rwlock_rdunlock(&lock);
    for (int i = 0; i < 2; i++)
        uv_thread_join(&threads[i]);
    uv_sem_destroy(&posted);
    uv_rwlock_destroy(&lock);
}
