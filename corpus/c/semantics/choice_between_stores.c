// Message passing with a choice between the two stores: under pso the second one may overtake the first.
// expect: sc,tso,ra,sra --nondet 0..1 => verified
// expect: pso,rc11,wrc11 --nondet 0..1 => violation assertion
// expect: models/pso.cat --nondet 0..1 => violation assertion
// expect: pso --nondet 0..1 -- -DORDER=memory_order_release => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef ORDER
#define ORDER memory_order_relaxed
#endif
_Bool __VERIFIER_nondet_bool(void);
static atomic_int data, ready;
static void *writer(void *u) {
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    (void)__VERIFIER_nondet_bool();
    atomic_store_explicit(&ready, 1, ORDER);
    return u;
}
static void *reader(void *u) {
    if (atomic_load_explicit(&ready, memory_order_relaxed)) assert(atomic_load_explicit(&data, memory_order_relaxed));
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, writer, 0);
    pthread_create(&t, 0, reader, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
