// R+W+W: one read, two writes.
//
// row: TruSt §3.5 | | --model rc11 --equivalence co | executions 6
// row: TruSt §4.2 | | --model rc11 --equivalence rf | executions 3
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static int load(atomic_int *from) { return atomic_load_explicit(from, memory_order_acquire); }

static void store(atomic_int *to, int value) { atomic_store_explicit(to, value, memory_order_release); }

static void *thread_1(void *unused) {
    load(&x);
    return unused;
}

static void *thread_2(void *unused) {
    store(&x, 1);
    return unused;
}

static void *thread_3(void *unused) {
    store(&x, 2);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, thread_1, NULL);
    pthread_create(&threads[1], NULL, thread_2, NULL);
    pthread_create(&threads[2], NULL, thread_3, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
