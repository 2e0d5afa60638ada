// A driver for a device in memory, in N rounds: one thread resets the device, one opens it and reads, one opens it and
// writes, which may make it larger. The open, the read and the write take a lock and set a variable that tells which of
// them is going on; the reset takes none.
//
// row: RVF-SMC Table 1 | N=2 | --model sc --algorithm rvf | executions 3908, time 6.55 | ours executions 166: the paper does not say what is repeated, nor what stands for the free choices
// row: slow: RVF-SMC Table 1 | N=2 | --model sc --equivalence rf | executions 749811, time 403 | ours executions 51979: the paper does not say what is repeated, nor what stands for the free choices
// row: slow: RVF-SMC Table 1 | N=2 | --model sc --algorithm source-dpor | executions 3157281, time 1116 | ours executions 2870894: the paper does not say what is repeated, nor what stands for the free choices
// row: RVF-SMC Table 1 | N=3 | --model sc --algorithm rvf | executions 115032, time 266 | ours executions 3172: the paper does not say what is repeated, nor what stands for the free choices
#include "sc.h"

enum { QUANTUM = 2, SETS = 2 };

static atomic_int size, quantum, sets, data, what;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void trim(void) {
    size = 0;
    quantum = QUANTUM;
    sets = SETS;
    data = 0;
}

static void open_device(void) {
    pthread_mutex_lock(&lock);
    what = 2;
    trim();
    (void)what;
    pthread_mutex_unlock(&lock);
}

static void read_device(void) {
    pthread_mutex_lock(&lock);
    what = 0;
    if (size > 0)
        (void)data;
    (void)what;
    pthread_mutex_unlock(&lock);
}

static void write_device(void) {
    pthread_mutex_lock(&lock);
    what = 1;
    data = 1;
    if (size < quantum * sets)
        size = size + 1;
    (void)what;
    pthread_mutex_unlock(&lock);
}

static void *loader(void *argument) {
    for (int round = 0; round < N; round++)
        trim();
    return argument;
}

static void *reader(void *argument) {
    for (int round = 0; round < N; round++) {
        open_device();
        read_device();
    }
    return argument;
}

static void *writer(void *argument) {
    for (int round = 0; round < N; round++) {
        open_device();
        write_device();
    }
    return argument;
}

int main(void) {
    pthread_t threads[3];
    create(threads, 0, 1, loader);
    create(threads, 1, 1, reader);
    create(threads, 2, 1, writer);
    join(threads, 3);
    return 0;
}
