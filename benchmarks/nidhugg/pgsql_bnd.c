// pgsql with its bounds in the source: four rounds, and a worker that finds its latch unset four times tests it once
// more and returns.
//
// row: Nidhugg Table 1 | FENCES=PSO | --model sc --algorithm source-dpor | verdict verified, time 89.44
// row: Nidhugg Table 1 | FENCES=PSO | --model tso --algorithm source-dpor --mapping raw | verdict verified, time 106.04
// row: Nidhugg Table 1 | FENCES=PSO | --model pso --algorithm source-dpor --mapping raw | verdict verified, time 112.60
#include "fences.h"
#include <assert.h>
#include <pthread.h>

#define ROUNDS 4

static volatile int latch1 = 1, flag1 = 1, latch2, flag2;

static void work(volatile int *my_latch, volatile int *my_flag, volatile int *latch, volatile int *flag) {
    for (int i = 0; i < ROUNDS; i++) {
        for (int j = 0; *my_latch == 0 && j < ROUNDS; j++)
            ;
        if (*my_latch == 0)
            return;
        assert(*my_latch == 0 || *my_flag == 1);
        *my_latch = 0;
        if (*my_flag) {
            *my_flag = 0;
            *flag = 1;
            P();
            *latch = 1;
        }
    }
}

static void *worker_1(void *unused) {
    work(&latch1, &flag1, &latch2, &flag2);
    return unused;
}

static void *worker_2(void *unused) {
    work(&latch2, &flag2, &latch1, &flag1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker_1, NULL);
    pthread_create(&second, NULL, worker_2, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
