// liburcu with memory barriers: a reader in a section never sees a node that was freed after the grace period.
// source: liburcu
// package: liburcu-dev
// flags: -DRCU_MB -D_GNU_SOURCE -isystem $liburcu-dev/usr/include/x86_64-linux-gnu -I $liburcu/src
// file: $liburcu/src/urcu.c
// file: $liburcu/src/urcu-pointer.c
// file: $liburcu/src/compat_futex.c
// check: --volatile relaxed --model tso | verified, 425 executions
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu.h>

static int *shared;

static void *reader(void *unused) {
    rcu_register_thread();
    rcu_read_lock();
    int *node = rcu_dereference(shared);
    assert(*node == 1 || *node == 2);
    rcu_read_unlock();
    rcu_unregister_thread();
    return unused;
}

int main(void) {
    pthread_t thread;
    int *old = malloc(sizeof(int)), *new = malloc(sizeof(int));
    *old = 1, *new = 2;
    shared = old;
    pthread_create(&thread, 0, reader, 0);
    rcu_assign_pointer(shared, new);
    synchronize_rcu();
    free(old);
    pthread_join(thread, 0);
    free(new);
}
