// lastzero(N): a reader looks for the last zero while N writers fill an array.
//
// check: rc11 rf executions 12
// check: rc11 co executions 12
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int array[N + 1];
static int ids[N + 1];

static void *reader(void *unused) {
    int i = N;
    while (i > 0 && atomic_load_explicit(&array[i], memory_order_acquire) != 0)
        i--;
    return unused;
}

static void *writer(void *argument) {
    int j = *(int *)argument;
    int value = atomic_load_explicit(&array[j - 1], memory_order_acquire);
    atomic_store_explicit(&array[j], value + 1, memory_order_release);
    return NULL;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int i = 0; i <= N; i++) {
        ids[i] = i;
        pthread_create(&threads[i], NULL, i == 0 ? reader : writer, &ids[i]);
    }
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
