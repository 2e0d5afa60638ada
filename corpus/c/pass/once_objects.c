// One of two threads allocates what they share, so that its other objects come later than those of the other thread. No
// word is accessed in several sizes, although other executions have other objects there.
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int owners, flags;
    long value[2];
};
struct own {
    _Atomic long count;
    long value;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct shared *shared;
static _Atomic(struct own *) published[2];

static void make(void) { shared = calloc(1, sizeof *shared); }

static void *run(void *nth) {
    long own = (long)nth;
    pthread_once(&once, make);
    struct own *mine = malloc(sizeof *mine);
    atomic_init(&mine->count, own);
    mine->value = own;
    atomic_store(&published[own], mine);
    struct own *other = atomic_load(&published[!own]);
    if (other)
        atomic_fetch_add(&other->count, 1);
    atomic_fetch_add(&shared->owners, 1);
    atomic_fetch_add(&shared->flags, 2);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, run, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(shared->owners == 2 && shared->flags == 4);
    assert(published[0]->count + published[1]->count >= 2);
    free(published[0]);
    free(published[1]);
    free(shared);
}
