// With --no-race-detection, plain accesses are relaxed ones: fences synchronise through them, in the order of fences
// and for the use of memory. Without, they race.
// expect: rc11,wrc11 -- -DMESSAGE -DFENCE=memory_order_acq_rel => violation race
// expect: rc11,wrc11 --no-race-detection -- -DMESSAGE -DFENCE=memory_order_acq_rel => verified
// expect: ra,sra --no-race-detection -- -DMESSAGE -DFENCE=memory_order_acq_rel => verified
// expect: sc,tso,pso --no-race-detection -- -DMESSAGE -DFENCE=memory_order_acq_rel => verified
// expect: models/rc11.cat --no-race-detection -- -DMESSAGE -DFENCE=memory_order_acq_rel => verified
// expect: rc11,wrc11 --no-race-detection -- -DMESSAGE -DFENCE=memory_order_release => violation assertion
// expect: rc11,wrc11 --no-race-detection -- -DBUFFERING -DFENCE=memory_order_seq_cst => verified
// expect: rc11,wrc11 --no-race-detection -- -DBUFFERING -DFENCE=memory_order_acq_rel => violation assertion
// expect: rc11,wrc11,ra,sra --no-race-detection -- -DPUBLISH -DFENCE=memory_order_seq_cst => verified
// expect: rc11,wrc11 --no-race-detection -- -DPUBLISH -DFENCE=memory_order_acquire => violation invalid-access
// expect: rc11,wrc11,ra,sra --no-race-detection -- -DFREE -DFENCE=memory_order_acq_rel => verified
// expect: rc11,wrc11 --no-race-detection -- -DFREE -DFENCE=memory_order_acquire => violation use-after-free
// expect: rc11,ra,sra,sc,tso --no-race-detection -- -DSIZES -DFENCE=memory_order_seq_cst => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static volatile int flag, other;
static int data, a, b;
static int *volatile slot;
static int *object;
static union { long whole; int halves[2]; } word;

static void *first(void *u) {
#if defined MESSAGE
    data = 42;
    atomic_thread_fence(FENCE);
    flag = 1;
#elif defined BUFFERING
    flag = 1;
    atomic_thread_fence(FENCE);
    a = other;
#elif defined PUBLISH
    int *made = malloc(sizeof *made);
    *made = 42;
    atomic_thread_fence(FENCE);
    slot = made;
#elif defined FREE
    data = *object;
    atomic_thread_fence(FENCE);
    flag = 1;
#else
    word.whole = 0x0000000100000001;
    atomic_thread_fence(FENCE);
    flag = 1;
#endif
    return u;
}
static void *second(void *u) {
#if defined MESSAGE
    if (flag) {
        atomic_thread_fence(FENCE);
        assert(data == 42);
    }
#elif defined BUFFERING
    other = 1;
    atomic_thread_fence(FENCE);
    b = flag;
#elif defined PUBLISH
    int *made = slot;
    atomic_thread_fence(FENCE);
    if (made) assert(*made == 42);
#elif defined FREE
    if (flag) {
        atomic_thread_fence(FENCE);
        free(object);
    }
#else
    if (flag) {
        atomic_thread_fence(FENCE);
        assert(word.halves[0] == 1 && word.halves[1] == 1);
    }
#endif
    return u;
}
int main(void) {
    pthread_t s, t;
    a = b = 1;
#ifdef FREE
    object = malloc(sizeof *object);
    *object = 1;
#endif
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a || b);
    return 0;
}
