// Which threads may be cancelled.
//
// check: -DBEFORE_JOIN rc11 rf verified
// check: -DAFTER_JOIN rc11 rf violation invalid-join
// check: -DBESIDE_JOIN rc11 rf violation invalid-join
// check: -DDETACHED rc11 rf violation invalid-join
// check: -DCREATED_DETACHED rc11 rf violation invalid-join
// check: -DDETACHED_ALIVE rc11 rf verified
#include <pthread.h>
#include <semaphore.h>

static pthread_t t;
static sem_t cancelled;

static void *returns(void *value) {
    return value;
}

static void *waits(void *value) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_wait(&cancelled);
    return value;
}

static void *cancels(void *unused) {
    pthread_cancel(t);
    return unused;
}

int main(void) {
    pthread_t u;
    pthread_attr_t attributes;
    (void)returns, (void)waits, (void)cancels, (void)u;
    sem_init(&cancelled, 0, 0);
    pthread_attr_init(&attributes);
#if defined BEFORE_JOIN
    pthread_create(&t, 0, returns, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
#elif defined AFTER_JOIN
    pthread_create(&t, 0, returns, 0);
    pthread_join(t, 0);
    pthread_cancel(t);
#elif defined BESIDE_JOIN
    pthread_create(&t, 0, returns, 0);
    pthread_create(&u, 0, cancels, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
#elif defined DETACHED
    pthread_create(&t, 0, returns, 0);
    pthread_detach(t);
    pthread_cancel(t);
#elif defined CREATED_DETACHED
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attributes, returns, 0);
    pthread_cancel(t);
#else
    pthread_create(&t, 0, waits, 0);
    pthread_detach(t);
    pthread_cancel(t);
    sem_post(&cancelled);
#endif
}
