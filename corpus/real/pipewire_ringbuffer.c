// PipeWire's ring buffer: one thread writes two bytes, another reads what is there.
// package: libspa-0.2-dev
// flags: -I $libspa-0.2-dev/usr/include/spa-0.2
// check: | verified, 6 executions
// changed: $libspa-0.2-dev/usr/include/spa-0.2/spa/utils/ringbuffer.h | __atomic_store_n(&rbuf->writeindex, index, __ATOMIC_RELEASE); | __atomic_store_n(&rbuf->writeindex, index, __ATOMIC_RELAXED); | | race
#include <assert.h>
#include <pthread.h>
#include <spa/utils/ringbuffer.h>

static struct spa_ringbuffer ring = SPA_RINGBUFFER_INIT();
static char bytes[2];

static void *writer(void *unused) {
    for (char c = 'a'; c <= 'b'; c++) {
        uint32_t index;
        if (spa_ringbuffer_get_write_index(&ring, &index) < 2) {
            spa_ringbuffer_write_data(&ring, bytes, 2, index & 1, &c, 1);
            spa_ringbuffer_write_update(&ring, index + 1);
        }
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    char text[2];
    uint32_t index;
    pthread_create(&thread, 0, writer, 0);
    int32_t n = spa_ringbuffer_get_read_index(&ring, &index);
    assert(n >= 0 && n <= 2);
    spa_ringbuffer_read_data(&ring, bytes, 2, index & 1, text, n);
    spa_ringbuffer_read_update(&ring, index + n);
    for (int i = 0; i < n; i++)
        assert(text[i] == 'a' + i);
    pthread_join(thread, 0);
}
