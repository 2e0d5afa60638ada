// A loop that waits for a zero and loads at its bottom.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *writer(void *unused) {
    for (int i = 0; i < N; i++)
        x = i;
    return unused;
}

static void *reader(void *unused) {
    int seen = x;
    while (seen != 0)
        seen = x;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    return 0;
}
