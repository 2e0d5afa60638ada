// Double-checked locking: two threads use an object that the first of them makes, under a lock. They would do so
// forever; after ROUNDS times the execution is given up, as a bound on loops does it.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor | verdict verified, time 0.08
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor --mapping raw | verdict verified, time 0.08
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor --mapping raw | verdict violation, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model sc --algorithm source-dpor | verdict verified, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model tso --algorithm source-dpor --mapping raw | verdict verified, time 0.08
// row: Nidhugg Table 1 | FENCES=PSO | --model pso --algorithm source-dpor --mapping raw | verdict verified, time 0.08
// row: Nidhugg 0.4 |  | --model sc --algorithm optimal-dpor | executions 0, blocked 7
// row: Nidhugg 0.4 |  | --model tso --algorithm optimal-dpor --mapping raw | executions 0, blocked 7
// row: Nidhugg 0.4 | FENCES=PSO | --model sc --algorithm optimal-dpor | executions 0, blocked 7
// row: Nidhugg 0.4 | FENCES=PSO | --model tso --algorithm optimal-dpor --mapping raw | executions 0, blocked 7
// row: Nidhugg 0.4 | FENCES=PSO | --model pso --algorithm optimal-dpor --mapping raw | executions 0, blocked 7
#include "two_flags.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define ROUNDS 7

struct object {
    int is_ready;
};

static volatile struct object object;
static volatile struct object *volatile singleton;
static volatile int n_made;

static void make(int id) {
    full_fence();
    lock(id);
    if (singleton == NULL) {
        assert(n_made == 0);
        object.is_ready = 1;
        P();
        singleton = &object;
        n_made = n_made + 1;
        assert(n_made == 1);
    }
    unlock(id);
}

static void use(int id) {
    for (int round = 0; round < ROUNDS; round++) {
        if (singleton == NULL)
            make(id);
        assert(singleton != NULL);
        assert(singleton->is_ready == 1);
    }
    __VERIFIER_assume(0);
}

static void *thread_0(void *unused) {
    use(0);
    return unused;
}

static void *thread_1(void *unused) {
    use(1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, thread_0, NULL);
    pthread_create(&second, NULL, thread_1, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
