// check: rc11 rf violation deadlock 10
// check: sc co violation deadlock 10
//
// A main thread that ends itself, and not the program, leaves the other one waiting.
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *waiter(void *unused) { sem_wait(&never); return 0; }

int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_create(&t, 0, waiter, 0);
    pthread_exit(0);
}
