#include <pthread.h>
pthread_barrier_t b;
int main(void) {
    pthread_barrier_init(&b, 0, 42);
    pthread_barrier_init(&b, 0, 17); // undefined: already initialised
    return 0;
}
