// Two accounts are locked in the order of the transfer, not in one order.
//
// check: rc11 rf violation deadlock 16
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t mutex;
    long balance;
};
static struct account *accounts[2];

static void *transfer(void *from) {
    struct account *source = accounts[(long)from], *target = accounts[1 - (long)from];
    pthread_mutex_lock(&source->mutex);
    pthread_mutex_lock(&target->mutex);
    source->balance -= 10;
    target->balance += 10;
    pthread_mutex_unlock(&target->mutex);
    pthread_mutex_unlock(&source->mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        accounts[i] = calloc(1, sizeof(struct account));
        pthread_mutex_init(&accounts[i]->mutex, NULL);
    }
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, transfer, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
