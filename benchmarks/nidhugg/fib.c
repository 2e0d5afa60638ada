// fib_true and fib_false: two threads add two variables to each other five times, and main checks that neither gets
// larger than LIMIT: 144 can be reached, so that 143 is wrong. With JOIN, main waits for the threads first.
//
// row: Nidhugg Table 1 | LIMIT=143 | --model sc --algorithm source-dpor | verdict violation, time 2.39
// row: Nidhugg Table 1 | LIMIT=143 | --model tso --algorithm source-dpor --mapping raw | verdict violation, time 5.57
// row: Nidhugg Table 1 | LIMIT=143 | --model pso --algorithm source-dpor --mapping raw | verdict violation, time 6.20
// row: Nidhugg Table 1 | LIMIT=143 JOIN | --model sc --algorithm source-dpor | verdict violation, time 0.32
// row: Nidhugg Table 1 | LIMIT=143 JOIN | --model tso --algorithm source-dpor --mapping raw | verdict violation, time 0.62
// row: Nidhugg Table 1 | LIMIT=143 JOIN | --model pso --algorithm source-dpor --mapping raw | verdict violation, time 0.71
// row: Nidhugg Table 1 | LIMIT=144 | --model sc --algorithm source-dpor | verdict verified, time 25.83
// row: Nidhugg Table 1 | LIMIT=144 | --model tso --algorithm source-dpor --mapping raw | verdict verified, time 75.06
// row: Nidhugg Table 1 | LIMIT=144 | --model pso --algorithm source-dpor --mapping raw | verdict verified, time 86.32
// row: Nidhugg Table 1 | LIMIT=144 JOIN | --model sc --algorithm source-dpor | verdict verified, time 1.20
// row: Nidhugg Table 1 | LIMIT=144 JOIN | --model tso --algorithm source-dpor --mapping raw | verdict verified, time 2.88
// row: Nidhugg Table 1 | LIMIT=144 JOIN | --model pso --algorithm source-dpor --mapping raw | verdict verified, time 3.19
// row: Nidhugg 0.4 | LIMIT=144 JOIN | --model sc --algorithm optimal-dpor | executions 8953
// row: Nidhugg 0.4 | LIMIT=144 JOIN | --model tso --algorithm optimal-dpor --mapping raw | executions 19404
// row: Nidhugg 0.4 | LIMIT=144 JOIN | --model pso --algorithm optimal-dpor --mapping raw | executions 19404
#include <assert.h>
#include <pthread.h>

#define ROUNDS 5

static volatile int i = 1, j = 1;

static void *thread_1(void *unused) {
    for (int k = 0; k < ROUNDS; k++)
        i = i + j;
    return unused;
}

static void *thread_2(void *unused) {
    for (int k = 0; k < ROUNDS; k++)
        j = j + i;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, thread_1, NULL);
    pthread_create(&second, NULL, thread_2, NULL);
#ifdef JOIN
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#endif
    if (i > LIMIT || j > LIMIT)
        assert(0);
#ifndef JOIN
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#endif
    return 0;
}
