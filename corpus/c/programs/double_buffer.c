// A sensor writes samples into one of two buffers while a display reads the other; the buffers change places when the
// display is between two reads.
//
// BUG=1: the sensor changes places without waiting for the display.
// BUG=2: the display announces that it reads after it has looked which buffer is in front.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 36
// check: -DBUG=1 rc11 rf violation race 44
// check: -DBUG=2 sc rf violation assertion 36
// check: -DBUG=2 rc11 rf violation race 44
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#define SAMPLES 2

static int buffers[2][SAMPLES];
static atomic_int front, is_reading;

static void *display(void *unused) {
    int which;
    if (BUG == 2) {
        which = atomic_load(&front);
        atomic_store(&is_reading, 1);
    } else {
        atomic_store(&is_reading, 1);
        which = atomic_load(&front);
    }
    for (int i = 1; i < SAMPLES; i++)
        assert(buffers[which][i] == buffers[which][0]);
    atomic_store(&is_reading, 0);
    return unused;
}

static void sense(int sample) {
    int back = !atomic_load(&front);
    for (int i = 0; i < SAMPLES; i++)
        buffers[back][i] = sample;
    atomic_store(&front, back);
    if (BUG != 1)
        while (atomic_load(&is_reading))
            ;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, display, NULL);
    for (int sample = 1; sample <= 2; sample++)
        sense(sample);
    pthread_join(thread, NULL);
    return 0;
}
