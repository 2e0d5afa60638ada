// check: sc rf verified
// check: rc11 rf verified
// check: -O1 sc rf violation non-termination 30
// check: -O2 rc11 rf violation non-termination 30
//
// Peterson's lock, which is right. Only `lock` uses `turn`, and it stores there before it loads; so LLVM (clang 14 to 19)
// makes `turn` a local variable of `lock` as long as that is not inlined, atomic or not, and threads wait for each other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int shared;

__attribute__((noinline)) static void lock(int me);
static void unlock(int me) { atomic_store(&flag[me], 0); }

static void *run(void *argument) {
    int me = argument != 0;
    lock(me);
    shared++;
    unlock(me);
    return 0;
}

__attribute__((noinline)) static void lock(int me) {
    atomic_store(&flag[me], 1);
    atomic_store(&turn, 1 - me);
    // The other thread stores to `turn`, too.
    while (atomic_load(&flag[1 - me]) &&
           atomic_load(&turn) == 1 - me)
        ;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, &thread);
    run(0);
    pthread_join(thread, 0);
    assert(shared == 2);
    return 0;
}
