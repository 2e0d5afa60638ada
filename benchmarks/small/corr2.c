// CORR2: two writes, two threads that read twice. Without a total coherence order the readers may disagree.
//
// row: RCMC §2.3 | | --model rc11 --equivalence co | executions 72
// row: RCMC §2.3 | | --model rc11 --algorithm rcmc | executions 72, duplicates 0
// row: RCMC §2.3 | | --model wrc11 --algorithm rcmc | executions 49, duplicates 0
// row: GenMC 0.11 | | --model rc11 --equivalence rf | executions 47
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_relaxed); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_relaxed); }

static void *thread_1(void *unused) {
    store(&x, 1);
    return unused;
}

static void *thread_2(void *unused) {
    store(&x, 2);
    return unused;
}

static void *thread_3(void *unused) {
    load(&x);
    load(&x);
    return unused;
}

static void *thread_4(void *unused) {
    load(&x);
    load(&x);
    return unused;
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, thread_1, NULL);
    pthread_create(&threads[1], NULL, thread_2, NULL);
    pthread_create(&threads[2], NULL, thread_3, NULL);
    pthread_create(&threads[3], NULL, thread_4, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
