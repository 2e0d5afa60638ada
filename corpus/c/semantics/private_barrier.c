// Store buffering with a barrier between store and load whose object no other thread can see. Machines with store
// buffers drain them there; to the models of the language, such an object orders nothing.
// expect: sc,tso,pso -- -DADD => verified
// expect: sc,tso,pso -- -DSYNC => verified
// expect: tso,pso -- -DEXCHANGE => verified
// expect: tso,pso -- -DFAILED => verified
// expect: tso,pso -- -DSTORE => verified
// expect: tso,pso -- -DLOCK => verified
// expect: tso,pso -- -DTRYLOCK => verified
// expect: tso,pso -- -DPARAMETER => verified
// expect: tso,pso --mapping raw -- -DADD => verified
// expect: models/tso.cat,models/pso.cat -- -DADD => verified
// expect: models/tso.cat -- -DSTORE => verified
// expect: models/tso.cat -- -DLOCK => verified
// expect: models/rc11.cat -- -DADD => violation assertion
// expect: tso,pso --mapping raw -- -DSTORE => violation assertion
// expect: tso,pso -- -DRELEASE => violation assertion
// expect: tso,pso -- -DLOAD => violation assertion
// expect: ra,sra,rc11,wrc11 -- -DADD => violation assertion
// expect: ra,sra,rc11,wrc11 -- -DSTORE => violation assertion
// expect: ra,rc11 -- -DLOCK => violation assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int a, b;

static void add(atomic_int *p) { atomic_fetch_add(p, 1); }
static void barrier(void) {
    atomic_int own = 0;
#if defined ADD
    atomic_fetch_add(&own, 1);
#elif defined SYNC
    int plain = 0;
    __sync_fetch_and_add(&plain, 0);
#elif defined EXCHANGE
    atomic_exchange_explicit(&own, 1, memory_order_relaxed);
#elif defined FAILED
    int expected = 1;
    atomic_compare_exchange_strong_explicit(&own, &expected, 2, memory_order_relaxed, memory_order_relaxed);
#elif defined STORE
    atomic_store(&own, 1);
#elif defined RELEASE
    atomic_store_explicit(&own, 1, memory_order_release);
#elif defined LOAD
    (void)atomic_load(&own);
#elif defined PARAMETER
    add(&own);
#else
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, 0);
#ifdef TRYLOCK
    pthread_mutex_trylock(&mutex);
#else
    pthread_mutex_lock(&mutex);
#endif
    pthread_mutex_unlock(&mutex);
#endif
    (void)add;
}
static void *first(void *u) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    barrier();
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return u;
}
static void *second(void *u) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    barrier();
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a || b);
    return 0;
}
