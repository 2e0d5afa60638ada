// Work that runs later and can be cancelled: its state says which thread may touch the object. Cancelling waits for work that has
// begun, and only then is the object freed.
//
// BUG=1: cancelling does not wait.
// BUG=2: the work begins with a load and a store: it may be cancelled in between.
// BUG=3: the end of the work is announced by a relaxed store.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation use-after-free 66
// check: -DBUG=2 sc rf violation use-after-free 45
// check: -DBUG=3 rc11 rf violation race 65
// check: -DBUG=3 tso rf verified
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif

enum state { IDLE, ARMED, RUNNING };

struct device {
    int n_polls;
};

static atomic_int state = IDLE;
static struct device *device;

static void *timer(void *unused) {
    if (BUG == 2) {
        if (atomic_load(&state) != ARMED)
            return unused;
        atomic_store(&state, RUNNING);
    } else {
        int expected = ARMED;
        if (!atomic_compare_exchange_strong_explicit(&state, &expected, RUNNING, memory_order_acquire,
                                                     memory_order_relaxed))
            return unused;
    }
    device->n_polls++;
    atomic_store_explicit(&state, IDLE, BUG == 3 ? memory_order_relaxed : memory_order_release);
    return unused;
}

static void cancel_sync(void) {
    int expected = ARMED;
    if (atomic_compare_exchange_strong_explicit(&state, &expected, IDLE, memory_order_acq_rel, memory_order_acquire))
        return;
    if (BUG != 1)
        while (atomic_load_explicit(&state, memory_order_acquire) == RUNNING)
            sched_yield();
}

int main(void) {
    pthread_t thread;
    device = calloc(1, sizeof *device);
    atomic_store_explicit(&state, ARMED, memory_order_release);
    pthread_create(&thread, NULL, timer, NULL);
    cancel_sync();
    assert(device->n_polls <= 1);
    free(device);
    pthread_join(thread, NULL);
    return 0;
}
