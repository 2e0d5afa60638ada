// A thread waits for the first of several pipes and counters that is ready.
//
// BUG=1: the data is stored after it was announced.
//
// check: rc11 rf verified
// check: sc co verified
// check: -O2 rc11 rf verified
// check: -DBUG=1 rc11 rf violation assertion 46
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int ends[2], counter, data;

static void *sender(void *unused) {
#ifndef BUG
    data = 1;
#endif
    uint64_t one = 1;
    assert(write(counter, &one, sizeof one) == sizeof one);
#ifdef BUG
    data = 1;
#endif
    assert(close(ends[1]) == 0);
    return unused;
}

int main(void) {
    assert(pipe(ends) == 0);
    counter = eventfd(0, 0);
    struct pollfd files[] = {{ends[0], POLLIN, 0}, {counter, POLLIN | POLLOUT, 0}, {-1, POLLIN, 7}, {99, POLLIN, 0}};
    // Only the counter can be written to, and there is no file 99.
    assert(poll(files, 4, 0) == 2 && files[1].revents == POLLOUT && files[2].revents == 0);
    assert(files[3].revents == POLLNVAL);
    pthread_t thread;
    pthread_create(&thread, 0, sender, 0);
    files[1].events = POLLIN;
    int n_ready = poll(files, 2, -1);
    assert(n_ready == 1 || n_ready == 2);
    assert((files[0].revents == POLLHUP) + (files[1].revents == POLLIN) == n_ready);
    // The pipe is closed after the counter is written.
    n_ready = poll(&files[1], 1, -1);
    assert(n_ready == 1 && files[1].revents == POLLIN && data == 1);
    // With a limit, it may be over.
    n_ready = poll(files, 1, 10);
    assert(n_ready == 0 || files[0].revents == POLLHUP);
    pthread_join(thread, 0);
    char byte;
    assert(read(ends[0], &byte, 1) == 0);
}
