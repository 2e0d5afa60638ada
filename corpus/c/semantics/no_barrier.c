// Store buffering with something between store and load that is no barrier: a choice, a signal that no thread waits for,
// the clock, initialisation that is over, a semaphore that is empty, the end of an object, the release of a spin lock.
// expect: sc --nondet 0..1 -- -DCHOICE => verified
// expect: tso,pso,ra,sra,rc11,wrc11 --nondet 0..1 -- -DCHOICE => violation assertion
// expect: tso,pso --mapping raw --nondet 0..1 -- -DCHOICE => violation assertion
// expect: models/tso.cat,models/pso.cat --nondet 0..1 -- -DCHOICE => violation assertion
// expect: tso,pso --nondet 0..1 -- -DBRANCH => violation assertion
// expect: tso,pso -- -DSIGNAL => violation assertion
// expect: tso,pso -- -DBROADCAST => violation assertion
// expect: tso,pso -- -DCLOCK => violation assertion
// expect: tso,pso -- -DONCE => violation assertion
// expect: tso,pso -- -DTRYWAIT => violation assertion
// expect: tso,pso -- -DSELF => violation assertion
// expect: tso,pso -- -DDESTROY => violation assertion
// expect: tso,pso -- -DSPIN => violation assertion
// expect: tso,pso -- -DMUTEX => verified
// expect: tso,pso -- -DFENCE => verified
// expect: sc -- -DSIGNAL => verified
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
_Bool __VERIFIER_nondet_bool(void);
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static atomic_int x, y;
static int a = 1, b = 1;

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_spinlock_t spins[2];

static void initialise(void) {}
// What comes before the store: a lock that is released between store and load.
static void before(int n) {
#if defined SPIN
    pthread_spin_lock(&spins[n]);
#elif defined MUTEX
    pthread_mutex_lock(&mutexes[n]);
#else
    (void)n;
#endif
}
static int between(int n) {
    (void)n;
#if defined SPIN
    pthread_spin_unlock(&spins[n]);
#elif defined MUTEX
    pthread_mutex_unlock(&mutexes[n]);
#elif defined DESTROY
    pthread_mutex_destroy(&mutexes[n]);
#elif defined CHOICE
    (void)__VERIFIER_nondet_bool();
#elif defined BRANCH
    return __VERIFIER_nondet_bool();
#elif defined SIGNAL
    pthread_cond_signal(&cond);
#elif defined BROADCAST
    pthread_cond_broadcast(&cond);
#elif defined CLOCK
    time(0);
#elif defined ONCE
    pthread_once(&once, initialise);
#elif defined TRYWAIT
    sem_trywait(&semaphore);
#elif defined SELF
    (void)pthread_self();
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
    return 1;
}
static void *first(void *u) {
    before(0);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    if (between(0)) a = atomic_load_explicit(&y, memory_order_relaxed);
    return u;
}
static void *second(void *u) {
    before(1);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    if (between(1)) b = atomic_load_explicit(&x, memory_order_relaxed);
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_once(&once, initialise);
    sem_init(&semaphore, 0, 0);
    pthread_spin_init(&spins[0], 0);
    pthread_spin_init(&spins[1], 0);
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a || b);
    return 0;
}
