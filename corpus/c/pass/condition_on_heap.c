// Condition variables and mutexes in heap memory, made by their init functions.
//
// check: rc11 rf verified
// check: sc co verified
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    bool is_open;
};

static void *pass(void *argument) {
    struct gate *gate = argument;
    pthread_mutex_lock(&gate->mutex);
    while (!gate->is_open)
        pthread_cond_wait(&gate->opened, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
    return NULL;
}

int main(void) {
    struct gate *gate = malloc(sizeof *gate);
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->opened, NULL);
    gate->is_open = false;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, pass, gate);
    pthread_mutex_lock(&gate->mutex);
    gate->is_open = true;
    pthread_mutex_unlock(&gate->mutex);
    pthread_cond_broadcast(&gate->opened);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&gate->opened);
    pthread_mutex_destroy(&gate->mutex);
    free(gate);
    return 0;
}
