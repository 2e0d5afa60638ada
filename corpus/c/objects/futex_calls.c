// The operations of the system call `futex`, and what they return.
//
// check: -DCODES rc11 rf verified
// check: -DWOKEN rc11 rf verified
// check: -DWOKEN sc rf verified
// check: -DBITS rc11 rf verified
// check: -DREQUEUE rc11 rf verified
// check: -DREQUEUE -DTIMED sc rf verified
// check: -DLOST rc11 rf violation deadlock
// check: -DTIMED rc11 rf verified
// check: -DSAME_QUEUE rc11 rf verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int a, rest[63], b, going;
static struct timespec soon = {0, 1000}, wrong = {0, 1000000000};

static long futex(atomic_int *at, int operation, int value, void *time, atomic_int *target, int last) {
    return syscall(SYS_futex, at, operation, value, time, target, last);
}

static void *waits(void *unused) {
    going = 1;
#ifdef TIMED
    long result = futex(&a, FUTEX_WAIT, 0, &soon, 0, 0);
    assert(result == 0 || (result == -1 && (errno == ETIMEDOUT || errno == EAGAIN)));
#elif defined BITS
    long result = futex(&a, FUTEX_WAIT_BITSET_PRIVATE, 0, 0, 0, 2);
    assert(result == 0 || (result == -1 && errno == EAGAIN));
#else
    long result = futex(&a, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    assert(result == 0 || (result == -1 && errno == EAGAIN));
#endif
    return unused;
}

static void *waits_for_b(void *unused) {
    futex(&b, FUTEX_WAIT, 0, 0, 0, 0);
    return unused;
}

int main(void) {
    pthread_t t;
    long n;
    (void)waits, (void)waits_for_b, (void)t, (void)n, (void)rest, (void)soon, (void)wrong;
#ifdef CODES
    assert(futex(&a, FUTEX_WAIT, 1, 0, 0, 0) == -1 && errno == EAGAIN);
    assert(futex(&a, FUTEX_WAIT, 0, &soon, 0, 0) == -1 && errno == ETIMEDOUT);
    assert(futex(&a, FUTEX_WAIT, 0, &wrong, 0, 0) == -1 && errno == EINVAL);
    assert(futex(&a, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &soon, 0, 1) == -1 && errno == ETIMEDOUT);
    assert(futex(&a, FUTEX_WAIT_BITSET, 0, 0, 0, 0) == -1 && errno == EINVAL);
    assert(futex(&a, FUTEX_WAKE, 5, 0, 0, 0) == 0);
    assert(futex(&a, FUTEX_WAKE_BITSET, 5, 0, 0, 0) == -1 && errno == EINVAL);
    assert(futex(&a, FUTEX_CMP_REQUEUE, 1, (void *)1, &b, 3) == -1 && errno == EAGAIN);
    assert(futex(&a, FUTEX_CMP_REQUEUE, 1, (void *)1, &b, 0) == 0);
    assert(futex(&a, FUTEX_CMP_REQUEUE, -1, (void *)1, &b, 0) == -1 && errno == EINVAL);
    assert(syscall(SYS_futex, &a, FUTEX_WAKE, 1) == 0);
#elif defined BITS
    pthread_create(&t, 0, waits, 0);
    a = 1;
    assert(futex(&a, FUTEX_WAKE_BITSET_PRIVATE, 1, 0, 0, 5) == 0);
    n = futex(&a, FUTEX_WAKE_BITSET_PRIVATE, 1, 0, 0, 6);
    assert(n == 0 || n == 1);
    pthread_join(t, 0);
#elif defined REQUEUE
    pthread_create(&t, 0, waits, 0);
    a = 1;
    n = futex(&a, FUTEX_REQUEUE, 0, (void *)5, &b, 0);
    assert(n == 0 || n == 1);
    assert(futex(&a, FUTEX_WAKE, 1, 0, 0, 0) == 0);
    long woken = futex(&b, FUTEX_WAKE, 1, 0, 0, 0);
#ifdef TIMED
    assert(woken <= n);
#else
    assert(woken == n);
#endif
    pthread_join(t, 0);
#elif defined LOST
    pthread_create(&t, 0, waits, 0);
    futex(&a, FUTEX_WAKE, 1, 0, 0, 0);
    pthread_join(t, 0);
#elif defined SAME_QUEUE
    pthread_t u;
    pthread_create(&t, 0, waits, 0);
    pthread_create(&u, 0, waits_for_b, 0);
    b = 1;
    futex(&b, FUTEX_WAKE, 1, 0, 0, 0);
    pthread_join(u, 0);
    a = 1;
    futex(&a, FUTEX_WAKE, 1, 0, 0, 0);
    pthread_join(t, 0);
#elif defined WOKEN || defined TIMED
    pthread_create(&t, 0, waits, 0);
    a = 1;
    n = futex(&a, FUTEX_WAKE_PRIVATE, 7, 0, 0, 0);
    assert(n == 0 || (n == 1 && going));
    pthread_join(t, 0);
#else
#error "no case"
#endif
    return 0;
}
