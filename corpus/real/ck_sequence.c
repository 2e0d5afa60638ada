// Concurrency Kit's sequence lock: a reader that need not retry has seen one update, or none, as a whole.
// package: libck-dev
// check: | verified, 10 executions
// changed: $libck-dev/usr/include/ck_sequence.h | sq->sequence + 1);\n\tck_pr_fence_store(); | sq->sequence); | | assertion
#include <assert.h>
#include <ck_sequence.h>
#include <pthread.h>

static ck_sequence_t lock = CK_SEQUENCE_INITIALIZER;
static unsigned data[2];

static void *writer(void *unused) {
    ck_sequence_write_begin(&lock);
    ck_pr_store_uint(&data[0], 1);
    ck_pr_store_uint(&data[1], 1);
    ck_sequence_write_end(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    unsigned version = ck_sequence_read_begin(&lock);
    unsigned first = ck_pr_load_uint(&data[0]), second = ck_pr_load_uint(&data[1]);
    if (!ck_sequence_read_retry(&lock, version))
        assert(first == second);
    pthread_join(thread, 0);
}
