// N writes: N threads write one variable, and none reads it.
//
// row: RCMC §5 | N=5 | --model rc11 --equivalence co | executions 120
// row: RCMC §5 | N=5 | --model rc11 --algorithm rcmc | executions 120, duplicates 0
// row: RCMC §5 | N=5 | --model wrc11 --algorithm rcmc | executions 1, duplicates 0
// row: RCMC §5 | N=8 | --model rc11 --equivalence co | executions 40320
// row: RCMC §5 | N=8 | --model rc11 --equivalence rf | executions 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x;

static void *writer(void *argument) {
    atomic_store_explicit(&x, (int)(intptr_t)argument, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, writer, (void *)(i + 1));
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
