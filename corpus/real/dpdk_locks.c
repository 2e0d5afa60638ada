// DPDK's locks: two threads add to a plain counter.
// package: libdpdk-dev
// flags: -isystem $libdpdk-dev/usr/include/dpdk -isystem $libdpdk-dev/usr/include/x86_64-linux-gnu/dpdk
// check: -- -DSPINLOCK -DRTE_FORCE_INTRINSICS | verified, 1 execution
// check: -- -DMCS | verified, 6 executions
// check: --mixed-sizes merge -- -DTICKET | verified, 1 execution
// check: -- -DPFLOCK | verified, 1 execution
// check: -- -DRWLOCK | verified, 6 executions
#include <assert.h>
#include <pthread.h>

#if defined(SPINLOCK)
#include <rte_spinlock.h>
static rte_spinlock_t lock = RTE_SPINLOCK_INITIALIZER;
#define LOCK rte_spinlock_lock(&lock)
#define UNLOCK rte_spinlock_unlock(&lock)
#elif defined(MCS)
#include <rte_mcslock.h>
static rte_mcslock_t *lock;
#define LOCK rte_mcslock_t me; rte_mcslock_lock(&lock, &me)
#define UNLOCK rte_mcslock_unlock(&lock, &me)
#elif defined(TICKET)
#include <rte_ticketlock.h>
static rte_ticketlock_t lock = RTE_TICKETLOCK_INITIALIZER;
#define LOCK rte_ticketlock_lock(&lock)
#define UNLOCK rte_ticketlock_unlock(&lock)
#elif defined(PFLOCK)
#include <rte_pflock.h>
static rte_pflock_t lock = RTE_PFLOCK_INITIALIZER;
#define LOCK rte_pflock_write_lock(&lock)
#define UNLOCK rte_pflock_write_unlock(&lock)
#elif defined(RWLOCK)
#include <rte_rwlock.h>
static rte_rwlock_t lock = RTE_RWLOCK_INITIALIZER;
#define LOCK rte_rwlock_write_lock(&lock)
#define UNLOCK rte_rwlock_write_unlock(&lock)
#endif

static int counter;

static void *adder(void *unused) {
    LOCK;
    counter++;
    UNLOCK;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, adder, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(counter == 2);
}
