// A program that calls a function of a device, which Atropos does not know.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int read_sensor(void);

static atomic_int highest;

static void *measure(void *unused) {
    int value = read_sensor();
    if (value > atomic_load(&highest))
        atomic_store(&highest, value);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, measure, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
