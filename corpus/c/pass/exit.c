// check: rc11 rf verified
// check: sc co verified
//
// A thread that ends the program runs the handlers, the last one first; no thread can join it afterwards, and one that
// still waits is not at fault.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static int order;
static sem_t never;
static void last(void) { assert(order == 1); }
static void first(void) { assert(order == 0); order = 1; }
static void *ender(void *unused) { exit(0); }
static void *waiter(void *unused) { sem_wait(&never); return 0; }

int main(void) {
    atexit(last), atexit(first);
    sem_init(&never, 0, 0);
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0), pthread_detach(a);
    pthread_create(&b, 0, ender, 0), pthread_join(b, 0);
    assert(0);
}
