// A hash map whose buckets are guarded by one lock each, while readers look without it first: a key that is found with a
// value needs no lock; anything else is looked up once more under the lock of its bucket. Two threads put and then get,
// each the key that the other one puts; THREADS - 2 more only get.
//
// row: Tracer Table 7 | THREADS=4 | --model ra --algorithm tracer | executions 42, time 0.00 | ours executions 73: the paper does not say which map it is, nor what its threads do
// row: Tracer Table 7 | THREADS=4 | --model ra --equivalence rf | executions 42 | ours executions 73: the paper does not say which map it is, nor what its threads do
#include "ra.h"

enum { BUCKETS = 2, DEPTH = 2, NONE = 0 };

// Keys are 1, 2, ...: 0 stands for a place that is not taken.
static atomic_int keys[BUCKETS][DEPTH], values[BUCKETS][DEPTH];
static pthread_mutex_t locks[BUCKETS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static int look_up(int key) {
    int bucket = key % BUCKETS;
    for (int i = 0; i < DEPTH; i++) {
        int there = LOAD(keys[bucket][i]);
        if (there == NONE)
            return NONE;
        if (there == key)
            return LOAD(values[bucket][i]);
    }
    return NONE;
}

static int get(int key) {
    int value = look_up(key);
    if (value != NONE)
        return value;
    pthread_mutex_lock(&locks[key % BUCKETS]);
    value = look_up(key);
    pthread_mutex_unlock(&locks[key % BUCKETS]);
    return value;
}

static void put(int key, int value) {
    int bucket = key % BUCKETS, i = 0;
    pthread_mutex_lock(&locks[bucket]);
    while (i < DEPTH && LOAD(keys[bucket][i]) != NONE && LOAD(keys[bucket][i]) != key)
        i++;
    if (i < DEPTH) {
        STORE(values[bucket][i], value);
        STORE(keys[bucket][i], key);
    }
    pthread_mutex_unlock(&locks[bucket]);
}

static void *writer(void *argument) {
    int key = 1 + number(argument);
    put(key, 10 * key);
    get(3 - key);
    return NULL;
}

static void *reader(void *argument) {
    get(1 + number(argument));
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, 2, writer);
    create(threads, 2, THREADS - 2, reader);
    join(threads, THREADS);
    return 0;
}
