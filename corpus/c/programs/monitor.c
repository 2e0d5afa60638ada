// Readers and writers as a monitor: a mutex, two condition variables, and writers go first.
//
// BUG=1: the writer that leaves wakes one reader, although all of them may go on.
// BUG=2: the reader that leaves does not wake a writer.
// BUG=3: a reader does not look whether a writer is in.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock 29
// check: -DBUG=2 sc rf violation deadlock 45
// check: -DBUG=3 sc rf violation assertion 65
// check: -DBUG=3 rc11 rf violation race 72
#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t may_read = PTHREAD_COND_INITIALIZER, may_write = PTHREAD_COND_INITIALIZER;
static int n_readers, n_waiting_writers, is_writing;
static int data[2];

static void begin_read(void) {
    pthread_mutex_lock(&mutex);
    while ((BUG != 3 && is_writing) || n_waiting_writers > 0)
        pthread_cond_wait(&may_read, &mutex);
    n_readers++;
    pthread_mutex_unlock(&mutex);
}

static void end_read(void) {
    pthread_mutex_lock(&mutex);
    if (--n_readers == 0 && BUG != 2)
        pthread_cond_signal(&may_write);
    pthread_mutex_unlock(&mutex);
}

static void begin_write(void) {
    pthread_mutex_lock(&mutex);
    n_waiting_writers++;
    while (is_writing || n_readers > 0)
        pthread_cond_wait(&may_write, &mutex);
    n_waiting_writers--;
    is_writing = 1;
    pthread_mutex_unlock(&mutex);
}

static void end_write(void) {
    pthread_mutex_lock(&mutex);
    is_writing = 0;
    if (n_waiting_writers > 0)
        pthread_cond_signal(&may_write);
    else if (BUG == 1)
        pthread_cond_signal(&may_read);
    else
        pthread_cond_broadcast(&may_read);
    pthread_mutex_unlock(&mutex);
}

static void *reader(void *unused) {
    begin_read();
    assert(data[0] == data[1]);
    end_read();
    return unused;
}

static void *writer(void *unused) {
    begin_write();
    data[0]++;
    data[1]++;
    end_write();
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
