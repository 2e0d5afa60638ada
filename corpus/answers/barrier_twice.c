// Three threads meet twice at a barrier: six orders of arrival in each round.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *worker(void *unused) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    return 0;
}
