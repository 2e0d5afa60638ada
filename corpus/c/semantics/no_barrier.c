// Store buffering with something between store and load that is no barrier: a choice, a signal that nobody waits for,
// the clock, initialisation that is over, a condition on a semaphore that is empty.
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

static void initialise(void) {}
static int between(void) {
#if defined CHOICE
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
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    if (between()) a = atomic_load_explicit(&y, memory_order_relaxed);
    return u;
}
static void *second(void *u) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    if (between()) b = atomic_load_explicit(&x, memory_order_relaxed);
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_once(&once, initialise);
    sem_init(&semaphore, 0, 0);
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a || b);
    return 0;
}
