// A hash map with several mutexes, each for a part of the buckets; growing takes all of them, in order.
//
// BUG=1: growing takes only the first one.
// BUG=2: growing takes them in the opposite order to a lookup of two keys.
// BUG=3: the mutex is chosen by the bucket before growing, and not again after it.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation use-after-free 73
// check: -DBUG=1 rc11 rf violation race 41
// check: -DBUG=2 sc rf violation deadlock 61
// check: -DBUG=3 sc rf violation assertion 100
// check: -DBUG=3 rc11 rf violation race 72
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#define STRIPES 2

struct pair {
    int key, value;
    struct pair *next;
};

static pthread_mutex_t stripes[STRIPES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct pair **buckets;
static unsigned n_buckets = 2;

static void put(int key, int value) {
    pthread_mutex_t *stripe = &stripes[key % STRIPES];
    unsigned bucket = BUG == 3 ? key % n_buckets : 0;
    pthread_mutex_lock(stripe);
    if (BUG != 3)
        bucket = key % n_buckets;
    struct pair *new = malloc(sizeof *new);
    *new = (struct pair){key, value, buckets[bucket]};
    buckets[bucket] = new;
    pthread_mutex_unlock(stripe);
}

static int get_both(int first, int second) {
    int sum = 0;
    pthread_mutex_lock(&stripes[first % STRIPES]);
    pthread_mutex_lock(&stripes[second % STRIPES]);
    for (unsigned i = 0; i < n_buckets; i++)
        for (struct pair *it = buckets[i]; it; it = it->next)
            if (it->key == first || it->key == second)
                sum += it->value;
    pthread_mutex_unlock(&stripes[second % STRIPES]);
    pthread_mutex_unlock(&stripes[first % STRIPES]);
    return sum;
}

static void grow(void) {
    int n_taken = BUG == 1 ? 1 : STRIPES;
    for (int i = 0; i < n_taken; i++)
        pthread_mutex_lock(&stripes[BUG == 2 ? STRIPES - 1 - i : i]);
    struct pair **old = buckets;
    struct pair **new = calloc(2 * n_buckets, sizeof *new);
    for (unsigned i = 0; i < n_buckets; i++)
        while (old[i]) {
            struct pair *it = old[i];
            old[i] = it->next;
            it->next = new[it->key % (2 * n_buckets)];
            new[it->key % (2 * n_buckets)] = it;
        }
    buckets = new;
    n_buckets *= 2;
    free(old);
    for (int i = 0; i < n_taken; i++)
        pthread_mutex_unlock(&stripes[i]);
}

static void *writer(void *unused) {
    put(3, 30);
    return unused;
}

static void *grower(void *unused) {
    grow();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    buckets = calloc(n_buckets, sizeof *buckets);
    put(2, 20);
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, grower, NULL);
    int sum = get_both(2, 3);
    assert(sum == 20 || sum == 50);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(get_both(2, 3) == 50);
    for (unsigned i = 0; i < n_buckets; i++) {
        assert(!buckets[i] || buckets[i]->key % n_buckets == i);
        free(buckets[i]);
    }
    free(buckets);
    return 0;
}
