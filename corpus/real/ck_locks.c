// Concurrency Kit's spin locks: two threads add to a plain counter.
// package: libck-dev
// check: -- -DFAS | verified, 2 executions
// check: -- -DCAS | verified, 2 executions
// check: -- -DDEC | verified, 4 executions
// check: --mixed-sizes merge -- -DTICKET | verified, 4 executions
// check: -- -DMCS | verified, 8 executions
// check: -- -DCLH | verified, 2 executions
// check: -- -DANDERSON | verified, 2 executions
#include <assert.h>
#include <ck_spinlock.h>
#include <pthread.h>


static int counter;

#if defined(FAS)
static ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;
#define LOCK ck_spinlock_fas_lock(&lock)
#define UNLOCK ck_spinlock_fas_unlock(&lock)
#elif defined(TICKET)
static ck_spinlock_ticket_t lock = CK_SPINLOCK_TICKET_INITIALIZER;
#define LOCK ck_spinlock_ticket_lock(&lock)
#define UNLOCK ck_spinlock_ticket_unlock(&lock)
#elif defined(CAS)
static ck_spinlock_cas_t lock = CK_SPINLOCK_CAS_INITIALIZER;
#define LOCK ck_spinlock_cas_lock(&lock)
#define UNLOCK ck_spinlock_cas_unlock(&lock)
#elif defined(DEC)
static ck_spinlock_dec_t lock = CK_SPINLOCK_DEC_INITIALIZER;
#define LOCK ck_spinlock_dec_lock(&lock)
#define UNLOCK ck_spinlock_dec_unlock(&lock)
#elif defined(MCS)
static ck_spinlock_mcs_t lock = CK_SPINLOCK_MCS_INITIALIZER;
#define LOCK ck_spinlock_mcs_context_t me; ck_spinlock_mcs_lock(&lock, &me)
#define UNLOCK ck_spinlock_mcs_unlock(&lock, &me)
#elif defined(CLH)
static ck_spinlock_clh_t *lock, first, nodes[2];
#define LOCK ck_spinlock_clh_t *me = &nodes[number]; ck_spinlock_clh_lock(&lock, me)
#define UNLOCK ck_spinlock_clh_unlock(&me)
#elif defined(ANDERSON)
static ck_spinlock_anderson_t lock;
static ck_spinlock_anderson_thread_t slots[2];
#define LOCK ck_spinlock_anderson_thread_t *slot; ck_spinlock_anderson_lock(&lock, &slot)
#define UNLOCK ck_spinlock_anderson_unlock(&lock, slot)
#endif

static void *adder(void *argument) {
    long number = (long)argument;
    (void)number;
    LOCK;
    counter++;
    UNLOCK;
    return 0;
}

int main(void) {
#if defined(CLH)
    ck_spinlock_clh_init(&lock, &first);
#elif defined(ANDERSON)
    ck_spinlock_anderson_init(&lock, slots, 2);
#endif
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, adder, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(counter == 2);
}
