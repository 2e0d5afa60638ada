// lamport(N): Lamport's fast mutex for N threads, all accesses sequentially consistent; every thread takes the lock once.
//
// row: TruSt Table 2 | N=3 | --model rc11 --equivalence co | executions 6690, time 0 | ours executions 9216: not all details of the paper's program are known; GenMC 0.11 finds our number on this one
// row: slow: TruSt Table 2 | N=4 | --model rc11 --equivalence co | executions 12163630, time 1007 | ours verdict verified: not all details of the paper's program are known; ours has more than 14 million executions
// row: GenMC 0.11 | N=2 | --model rc11 --equivalence co | executions 16
// row: GenMC 0.11 | N=2 | --model rc11 --equivalence rf | executions 12
// row: GenMC 0.11 | N=3 | --model rc11 --equivalence co | executions 9216
// row: GenMC 0.11 | N=3 | --model rc11 --equivalence rf | executions 3942
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x, y, b[N + 1];

static void lock(int i) {
    for (;;) {
        atomic_store(&b[i], 1);
        atomic_store(&x, i);
        if (atomic_load(&y) != 0) {
            atomic_store(&b[i], 0);
            while (atomic_load(&y) != 0)
                ;
            continue;
        }
        atomic_store(&y, i);
        if (atomic_load(&x) != i) {
            atomic_store(&b[i], 0);
            for (int j = 1; j <= N; j++)
                while (atomic_load(&b[j]) != 0)
                    ;
            if (atomic_load(&y) != i) {
                while (atomic_load(&y) != 0)
                    ;
                continue;
            }
        }
        return;
    }
}

static void unlock(int i) {
    atomic_store(&y, 0);
    atomic_store(&b[i], 0);
}

static void *worker(void *argument) {
    int i = (int)(intptr_t)argument;
    lock(i);
    unlock(i);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
    pthread_exit(NULL);
}
