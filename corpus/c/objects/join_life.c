// Which threads may be joined or detached, and how often.
//
// check: -DATTRIBUTES rc11 rf verified
// check: -DDETACHED rc11 rf violation invalid-join
// check: -DDETACHED_C11 rc11 rf violation invalid-join
// check: -DCREATED_DETACHED rc11 rf violation invalid-join
// check: -DCREATED_DETACHED_DETACH rc11 rf violation invalid-join
// check: -DCREATED_JOINABLE rc11 rf verified
// check: -DTWICE rc11 rf violation invalid-join
// check: -DTWO_JOIN rc11 rf violation invalid-join
// check: -DDETACHES_ITSELF rc11 rf violation invalid-join
// check: -DITSELF rc11 rf violation invalid-join
// check: -DGRANDCHILD_TWICE rc11 rf violation invalid-join
// check: -DGRANDCHILD rc11 rf verified
// check: -DNO_THREAD rc11 rf violation invalid-join
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>

static pthread_t t, u;

static void *returns(void *value) {
    return value;
}

static void *creates(void *unused) {
    pthread_create(&u, 0, returns, 0);
    return unused;
}

static void *joins(void *unused) {
    pthread_join(t, 0);
    return unused;
}

static void *detaches_itself(void *unused) {
    pthread_detach(pthread_self());
    return unused;
}

static int returns_int(void *value) {
    return value != 0;
}

int main(void) {
    pthread_attr_t attributes;
    int state;
    size_t size;
    (void)returns, (void)creates, (void)joins, (void)detaches_itself, (void)returns_int, (void)state, (void)size;
    assert(pthread_attr_init(&attributes) == 0);
#ifdef ATTRIBUTES
    pthread_attr_getdetachstate(&attributes, &state);
    assert(state == PTHREAD_CREATE_JOINABLE);
    assert(pthread_attr_setdetachstate(&attributes, 7) == EINVAL);
    assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    pthread_attr_getdetachstate(&attributes, &state);
    assert(state == PTHREAD_CREATE_DETACHED);
    assert(pthread_attr_setstacksize(&attributes, 1) == EINVAL);
    assert(pthread_attr_setstacksize(&attributes, 1 << 20) == 0);
    pthread_attr_getstacksize(&attributes, &size);
    assert(size == 1 << 20);
    assert(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    assert(pthread_attr_setschedpolicy(&attributes, SCHED_FIFO) == 0);
    struct sched_param parameters = {.sched_priority = 0};
    assert(pthread_attr_setschedparam(&attributes, &parameters) == EINVAL);
    parameters.sched_priority = 5;
    assert(pthread_attr_setschedparam(&attributes, &parameters) == 0);
    assert(pthread_attr_destroy(&attributes) == 0);
#elif defined DETACHED
    pthread_create(&t, 0, returns, 0);
    pthread_detach(t);
    pthread_join(t, 0);
#elif defined DETACHED_C11
    thrd_t v;
    thrd_create(&v, returns_int, 0);
    thrd_detach(v);
    thrd_join(v, 0);
#elif defined CREATED_DETACHED
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attributes, returns, 0);
    pthread_join(t, 0);
#elif defined CREATED_DETACHED_DETACH
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attributes, returns, 0);
    pthread_detach(t);
#elif defined CREATED_JOINABLE
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE);
    pthread_create(&t, &attributes, returns, &t);
    void *value;
    pthread_join(t, &value);
    assert(value == &t);
#elif defined TWICE
    pthread_create(&t, 0, returns, 0);
    pthread_join(t, 0);
    pthread_join(t, 0);
#elif defined TWO_JOIN
    pthread_create(&t, 0, returns, 0);
    pthread_create(&u, 0, joins, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
#elif defined DETACHES_ITSELF
    pthread_create(&t, 0, detaches_itself, 0);
    pthread_join(t, 0);
#elif defined ITSELF
    pthread_join(pthread_self(), 0);
#elif defined GRANDCHILD_TWICE || defined GRANDCHILD
    pthread_create(&t, 0, creates, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
#ifdef GRANDCHILD_TWICE
    pthread_join(u, 0);
#endif
#elif defined NO_THREAD
    pthread_join(t, 0);
#else
#error "no case"
#endif
    return 0;
}
