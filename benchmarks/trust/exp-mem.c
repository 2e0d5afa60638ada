// exp-mem(N): one thread increments x, N threads increment y, and the last of these then increments x too.
//
// row: TruSt Table 1 | N=7 | --model sc --algorithm source-dpor | executions 10080, time 2
// row: TruSt Table 1 | N=7 | --model sc --algorithm optimal-dpor | executions 10080, time 2
// row: TruSt Table 1 | N=7 | --model rc11 --equivalence co | executions 10080, time 1
// row: TruSt Table 1 | N=8 | --model sc --algorithm source-dpor | executions 80640, time 18
// row: TruSt Table 1 | N=8 | --model rc11 --equivalence co | executions 80640, time 10
// row: TruSt Table 1 | N=9 | --model sc --algorithm source-dpor | executions 725760, time 176
// row: TruSt Table 1 | N=9 | --model rc11 --equivalence co | executions 725760, time 103
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x, y;

static void *increment_x(void *unused) {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    return unused;
}

static void *increment_y(void *argument) {
    atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
    return (intptr_t)argument == N ? increment_x(NULL) : NULL;
}

int main(void) {
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, increment_x, NULL);
    for (intptr_t i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, increment_y, (void *)i);
    pthread_exit(NULL);
}
