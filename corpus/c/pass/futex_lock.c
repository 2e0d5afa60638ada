// check: rc11 rf verified
// check: tso rf verified
// check: -DBUG rc11 rf violation deadlock
//
// A lock on a futex: 0 free, 1 taken, 2 taken and a thread may be waiting. With BUG, no thread is woken.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int state;
static int counter;

static void lock(void) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&state, &expected, 1))
        return;
    while (atomic_exchange(&state, 2) != 0)
        syscall(SYS_futex, &state, FUTEX_WAIT, 2, 0, 0, 0);
}

static void unlock(void) {
#ifdef BUG
    atomic_store(&state, 0);
#else
    if (atomic_exchange(&state, 0) == 2)
        syscall(SYS_futex, &state, FUTEX_WAKE, 1, 0, 0, 0);
#endif
}

static void *worker(void *unused) {
    lock();
    counter++;
    unlock();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0), pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0), pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
