// A spin lock of one flag: an exchange that finds the flag set writes what was there, and the loop is idle.
//
// check: rc11 rf executions 6
// check: rc11 co executions 6
// check: sc rf executions 6
// check: tso rf executions 6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag flag = ATOMIC_FLAG_INIT;
static int counter;

static void *worker(void *unused) {
    while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
        ;
    counter++;
    atomic_flag_clear_explicit(&flag, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3);
    return 0;
}
