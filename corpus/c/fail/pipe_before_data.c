// The byte is sent before what it announces.
//
// check: rc11 rf violation assertion 22
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2], data;

static void *sender(void *unused) {
    write(ends[1], "x", 1);
    data = 1;
    return unused;
}

int main(void) {
    pipe(ends);
    pthread_t thread;
    pthread_create(&thread, 0, sender, 0);
    char byte;
    read(ends[0], &byte, 1);
    assert(data == 1);
    pthread_join(thread, 0);
}
