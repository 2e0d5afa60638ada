// check: rc11 rf violation deadlock
// check: -DCOUNT=2147483647 rc11 rf executions 19
//
// Two threads wait for an event; the thread that announces it wakes only one of them,
// or, with another COUNT, all.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef COUNT
#define COUNT 1
#endif

static atomic_int event;

static void *waiter(void *unused) {
    while (atomic_load(&event) == 0)
        syscall(SYS_futex, &event, FUTEX_WAIT, 0, 0, 0, 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, waiter, 0);
    atomic_store(&event, 1);
    syscall(SYS_futex, &event, FUTEX_WAKE, COUNT, 0, 0, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
