// seqlock-atomic(N): a sequence lock with one reader, three threads that read and then write, and N-4 writers. Writers
// exclude each other with a mutex.
//
// row: TruSt Table 2 | N=5 | --model rc11 --equivalence co | executions 1500, time 14
// row: slow: TruSt Table 2 | N=6 | --model rc11 --equivalence co | executions 16200, time 373
// row: slow: TruSt Table 2 | N=7 | --model rc11 --equivalence co | executions 185220, time 9138
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
static atomic_int sequence, data;

static void fence(void) { atomic_thread_fence(memory_order_acq_rel); }

static void advance(void) {
    int now = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, now + 1, memory_order_relaxed);
}

static void write_data(int value) {
    pthread_mutex_lock(&writers);
    advance();
    fence();
    atomic_store_explicit(&data, value, memory_order_relaxed);
    fence();
    advance();
    pthread_mutex_unlock(&writers);
}

static int read_data(void) {
    for (;;) {
        int before;
        do
            before = atomic_load_explicit(&sequence, memory_order_relaxed);
        while (before % 2 != 0);
        fence();
        int value = atomic_load_explicit(&data, memory_order_relaxed);
        fence();
        if (atomic_load_explicit(&sequence, memory_order_seq_cst) == before)
            return value;
    }
}

static void *reader(void *unused) {
    read_data();
    return unused;
}

static void *reader_writer(void *unused) {
    write_data(read_data() + 1);
    return unused;
}

static void *writer(void *unused) {
    write_data(42);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, i == 0 ? reader : i < 4 ? reader_writer : writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
