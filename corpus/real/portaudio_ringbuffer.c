// PortAudio's ring buffer: one thread writes two elements, another reads.
// source: portaudio19
// file: $portaudio19/src/common/pa_ringbuffer.c
// flags: -I $portaudio19/src/common
// check: --volatile relaxed | verified, 20 executions
// changed: $portaudio19/src/common/pa_ringbuffer.c | PaUtil_WriteMemoryBarrier(); | | --volatile relaxed | race
#include <assert.h>
#include <pthread.h>
#include <pa_ringbuffer.h>

static PaUtilRingBuffer ring;
static int slots[2];

static void *writer(void *unused) {
    for (int i = 1; i <= 2; i++)
        PaUtil_WriteRingBuffer(&ring, &i, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    int item = 0, last = 0;
    assert(PaUtil_InitializeRingBuffer(&ring, sizeof(int), 2, slots) == 0);
    pthread_create(&thread, 0, writer, 0);
    for (int i = 0; i < 2; i++)
        if (PaUtil_ReadRingBuffer(&ring, &item, 1)) {
            assert(item == last + 1);
            last = item;
        }
    pthread_join(thread, 0);
}
