// check: rc11 rf verified
//
// Bytes of a pipe and values of an event counter arrive after what was stored before them.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int ends[2], counter, before_pipe, before_counter;

static void *sender(void *unused) {
    before_pipe = 1;
    assert(write(ends[1], "abc", 3) == 3);
    before_counter = 1;
    uint64_t two = 2;
    assert(write(counter, &two, sizeof two) == sizeof two);
    assert(close(ends[1]) == 0);
    assert(close(ends[1]) == -1 && errno == EBADF);
    return unused;
}

int main(void) {
    assert(pipe(ends) == 0);
    counter = eventfd(0, EFD_SEMAPHORE);
    int quick = eventfd(0, EFD_NONBLOCK);
    uint64_t value;
    assert(read(quick, &value, sizeof value) == -1 && errno == EAGAIN);
    pthread_t thread;
    pthread_create(&thread, 0, sender, 0);
    char text[8];
    assert(read(ends[0], text, 2) == 2 && text[0] == 'a' && text[1] == 'b');
    assert(before_pipe == 1);
    assert(eventfd_read(counter, &value) == 0 && value == 1);
    assert(before_counter == 1);
    assert(read(ends[0], text, sizeof text) == 1 && text[0] == 'c');
    assert(read(ends[0], text, sizeof text) == 0);
    assert(eventfd_read(counter, &value) == 0 && value == 1);
    assert(read(ends[1], text, 1) == -1 && write(ends[0], text, 1) == -1);
    assert(write(1, "", 0) == 0);
    pthread_join(thread, 0);
    close(ends[0]), close(counter), close(quick);
}
