// Three philosophers; the last one takes the right fork first, which keeps them from waiting in a circle.
//
// BUG=1: each one takes the left fork first.
// BUG=2: one of them puts the wrong fork back.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock 30
// check: -DBUG=2 sc rf violation lock-misuse 33
#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif
#define SEATS 3

static pthread_mutex_t forks[SEATS];
static int meals[SEATS];

static void *philosopher(void *argument) {
    int seat = *(int *)argument, left = seat, right = (seat + 1) % SEATS;
    if (seat == SEATS - 1 && BUG != 1) {
        int other = left;
        left = right;
        right = other;
    }
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    meals[seat]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[BUG == 2 && seat == 0 ? right : left]);
    return NULL;
}

int main(void) {
    pthread_t threads[SEATS];
    int seats[SEATS];
    for (int i = 0; i < SEATS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < SEATS; i++) {
        seats[i] = i;
        pthread_create(&threads[i], NULL, philosopher, &seats[i]);
    }
    for (int i = 0; i < SEATS; i++) {
        pthread_join(threads[i], NULL);
        assert(meals[i] == 1);
    }
    return 0;
}
