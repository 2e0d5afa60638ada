// Two threads enter four numbers each into a hash table of eight slots with a lock each. Both are given the address of
// one variable, which main overwrites between the two creations: both may read the second value.
//
// row: Nidhugg Table 1 |  | --model sc --algorithm source-dpor | verdict verified, time 0.10
// row: Nidhugg Table 1 |  | --model tso --algorithm source-dpor | verdict verified, time 0.09
// row: Nidhugg Table 1 |  | --model pso --algorithm source-dpor | verdict verified, time 0.09
// row: Nidhugg 0.4 |  | --model sc --algorithm optimal-dpor | executions 19
// row: Nidhugg 0.4 |  | --model tso --algorithm optimal-dpor | executions 19
// row: Nidhugg 0.4 |  | --model pso --algorithm optimal-dpor | executions 19
#include <pthread.h>

#define SLOTS 8

static volatile int table[SLOTS];
static pthread_mutex_t locks[SLOTS];
static volatile int id;

static void *worker(void *argument) {
    int tid = *(volatile int *)argument;
    for (int i = 1; i <= 4; i++) {
        int word = 11 * i + tid, slot = 7 * word % SLOTS, is_done = 0;
        while (!is_done) {
            pthread_mutex_lock(&locks[slot]);
            if (table[slot] == 0) {
                table[slot] = word;
                is_done = 1;
            }
            pthread_mutex_unlock(&locks[slot]);
            slot = (slot + 1) % SLOTS;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < SLOTS; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int i = 0; i < 2; i++) {
        id = i;
        pthread_create(&threads[i], NULL, worker, (void *)&id);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
