// A sum in parallel: every thread adds up its slice, writes the result to its own cell, and main adds the cells.
//
// BUG=1: the slices overlap by one, and every thread clears its slice afterwards.
// BUG=2: all threads add to one ordinary variable.
// BUG=3: the last slice goes one too far.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 61
// check: -DBUG=1 rc11 rf violation race 37
// check: -DBUG=2 sc rf violation assertion 61
// check: -DBUG=2 rc11 rf violation race 40
// check: -DBUG=3 sc rf violation invalid-access 35
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#define THREADS 3
#define LENGTH 6

struct slice {
    int *first, *end, sum;
    pthread_t thread;
};

static int total;

static void *add_up(void *argument) {
    struct slice *slice = argument;
    for (int *at = slice->first; at < slice->end; at++) {
        slice->sum += *at;
        if (BUG == 1)
            *at = 0;
    }
    if (BUG == 2)
        total += slice->sum;
    return slice;
}

int main(void) {
    int *numbers = malloc(LENGTH * sizeof *numbers);
    struct slice slices[THREADS];
    for (int i = 0; i < LENGTH; i++)
        numbers[i] = i + 1;
    for (int i = 0; i < THREADS; i++) {
        slices[i].first = numbers + i * LENGTH / THREADS - (BUG == 1 && i > 0);
        slices[i].end = numbers + (i + 1) * LENGTH / THREADS + (BUG == 3 && i == THREADS - 1);
        slices[i].sum = 0;
        pthread_create(&slices[i].thread, NULL, add_up, &slices[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(slices[i].thread, &result);
        if (BUG != 2)
            total += ((struct slice *)result)->sum;
    }
    assert(total == LENGTH * (LENGTH + 1) / 2);
    free(numbers);
    return 0;
}
