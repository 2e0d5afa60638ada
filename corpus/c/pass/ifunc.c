// Functions that are chosen when the program is loaded, before constructors run.
//
// check: rc11 rf verified
// check: -O2 rc11 rf verified
#include <assert.h>
#include <pthread.h>

static int n_chosen, seen_by_constructor;

static int portable(int n) {
    return n + 1;
}

static int fast(int n) {
    return n + 40;
}

static void store(int *to, long value) {
    *to = (int)value;
}

static void *choose_add(void) {
    n_chosen++;
    return n_chosen == 1 ? (void *)fast : (void *)portable;
}

static void *choose_store(void) {
    return (void *)store;
}

int add(int n) __attribute__((ifunc("choose_add")));
void put(int *to, long value) __attribute__((ifunc("choose_store")));

__attribute__((constructor)) static void early(void) {
    seen_by_constructor = add(1);
}

static int (*table[1])(int) = {add};

static void *thread(void *sum) {
    put(sum, add(2));
    return 0;
}

int main(void) {
    int sums[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, thread, &sums[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(sums[0] == 42 && sums[1] == 42 && seen_by_constructor == 41 && table[0](3) == 43);
    assert(n_chosen == 1);
}
