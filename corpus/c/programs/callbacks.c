// Subscribers are called when something happens; one that unsubscribes itself while it is called must not find the
// registry locked, so the list is copied under the lock and called without.
//
// BUG=1: subscribers are called under the lock.
// BUG=2: the loop goes over the list itself, without the lock.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock 35
// check: -DBUG=2 sc rf violation invalid-access 52
// check: -DBUG=2 rc11 rf violation race 38
#include <assert.h>
#include <pthread.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif
#define ROOM 4

typedef void callback(int event);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static callback *subscribers[ROOM];
static int n_subscribers;

static void subscribe(callback *subscriber) {
    pthread_mutex_lock(&mutex);
    subscribers[n_subscribers++] = subscriber;
    pthread_mutex_unlock(&mutex);
}

static void unsubscribe(callback *subscriber) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < n_subscribers; i++)
        if (subscribers[i] == subscriber) {
            subscribers[i] = subscribers[--n_subscribers];
            subscribers[n_subscribers] = NULL;
        }
    pthread_mutex_unlock(&mutex);
}

static void publish(int event) {
#if BUG == 1
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < n_subscribers; i++)
        subscribers[i](event);
    pthread_mutex_unlock(&mutex);
#elif BUG == 2
    for (int i = 0; i < n_subscribers; i++)
        subscribers[i](event);
#else
    callback *copy[ROOM];
    pthread_mutex_lock(&mutex);
    int n = n_subscribers;
    memcpy(copy, subscribers, sizeof copy);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < n; i++)
        copy[i](event);
#endif
}

static void once(int event) {
    assert(event == 7);
    unsubscribe(once);
}

static void always(int event) { assert(event == 7); }

static void *publisher(void *unused) {
    publish(7);
    return unused;
}

int main(void) {
    pthread_t thread;
    subscribe(always);
    subscribe(once);
    pthread_create(&thread, NULL, publisher, NULL);
    unsubscribe(always);
    pthread_join(thread, NULL);
    assert(n_subscribers == 0);
    return 0;
}
