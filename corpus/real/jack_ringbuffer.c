// JACK's ring buffer: one thread writes two bytes, another reads.
// source: jackd2
// file: $jackd2/common/ringbuffer.c
// flags: -I $jackd2/common -I $jackd2/posix
// check: --volatile relaxed | race
// check: --volatile relaxed --no-race-detection | uninitialised
// check: --volatile relaxed --model tso | verified, 2 executions
// changed: $jackd2/common/ringbuffer.c | volatile size_t write_ptr;\n    volatile size_t read_ptr; | _Atomic size_t write_ptr;\n    _Atomic size_t read_ptr; | | verified, 2 executions
#include <assert.h>
#include <pthread.h>
#include <jack/ringbuffer.h>

static jack_ringbuffer_t *ring;

static void *writer(void *unused) {
    assert(jack_ringbuffer_write(ring, "ab", 2) == 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    char text[2];
    ring = jack_ringbuffer_create(4);
    pthread_create(&thread, 0, writer, 0);
    size_t n = jack_ringbuffer_read(ring, text, 2);
    assert(n == 0 || (n == 2 && text[0] == 'a' && text[1] == 'b'));
    pthread_join(thread, 0);
    jack_ringbuffer_free(ring);
}
