// apr_2: the original links 8000 lines of the Apache Portable Runtime. This is a stand-in of ours for it: two threads
// count the references to an object up and down by an atomic counter, and the last one checks how often it was used.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor | verdict verified, time 2.60
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor | verdict verified, time 2.20
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor | verdict verified, time 5.39
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 2
#define ROUNDS 2

struct object {
    atomic_int references;
    atomic_int uses;
};

static struct object object = {THREADS, 0};

static void release(struct object *object) {
    if (atomic_fetch_sub(&object->references, 1) == 1)
        assert(object->uses == THREADS * ROUNDS);
}

static void *worker(void *argument) {
    struct object *object = argument;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&object->references, 1);
        atomic_fetch_add(&object->uses, 1);
        release(object);
    }
    release(object);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &object);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
