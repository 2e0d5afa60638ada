// A pool of connections: a counting semaphore lets in as many threads as there are connections, and a mutex guards
// which thread has which.
//
// BUG=1: the semaphore starts with one too many.
// BUG=2: a connection is marked free after the semaphore was posted.
// BUG=3: no mutex around the search for a free connection.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 43
// check: -DBUG=2 sc rf violation assertion 43
// check: -DBUG=3 sc rf violation assertion 71
// check: -DBUG=3 rc11 rf violation race 38
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#define CONNECTIONS 2
#define CLIENTS 3

static sem_t available;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool is_used[CONNECTIONS];
static int traffic[CONNECTIONS];

static int acquire(void) {
    sem_wait(&available);
    if (BUG != 3)
        pthread_mutex_lock(&mutex);
    int found = -1;
    for (int i = 0; i < CONNECTIONS && found < 0; i++)
        if (!is_used[i]) {
            is_used[i] = true;
            found = i;
        }
    if (BUG != 3)
        pthread_mutex_unlock(&mutex);
    assert(found >= 0);
    return found;
}

static void release(int which) {
    if (BUG == 2)
        sem_post(&available);
    pthread_mutex_lock(&mutex);
    is_used[which] = false;
    pthread_mutex_unlock(&mutex);
    if (BUG != 2)
        sem_post(&available);
}

static void *client(void *unused) {
    int which = acquire();
    traffic[which]++;
    release(which);
    return unused;
}

int main(void) {
    pthread_t threads[CLIENTS];
    sem_init(&available, 0, CONNECTIONS + (BUG == 1));
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&threads[i], NULL, client, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    assert(traffic[0] + traffic[1] == CLIENTS);
    sem_destroy(&available);
    return 0;
}
