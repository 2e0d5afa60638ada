// N threads give blocks to inodes: 32 inodes and 26 blocks, a lock for each. The first 13 threads never meet: 2^(N-13)
// executions.
//
// row: Tracer Table 2 | N=16 | --model ra --algorithm tracer | executions 8, time 0.01
// row: Tracer Table 2 | N=16 | --model ra --equivalence rf | executions 8
// row: Tracer Table 2 | N=16 | --model ra --equivalence co | executions 8
// row: Tracer Table 2 | N=16 | --model rc11 --algorithm rcmc | executions 8, time 0.05
// row: Tracer Table 2 | N=19 | --model ra --algorithm tracer | executions 64, time 0.03
// row: Tracer Table 2 | N=19 | --model ra --equivalence rf | executions 64
// row: Tracer Table 2 | N=19 | --model ra --equivalence co | executions 64
// row: Tracer Table 2 | N=19 | --model rc11 --algorithm rcmc | executions 64, time 2.02
// row: Tracer Table 2 | N=22 | --model ra --algorithm tracer | executions 512, time 0.33
// row: Tracer Table 2 | N=22 | --model ra --equivalence rf | executions 512
// row: Tracer Table 2 | N=22 | --model ra --equivalence co | executions 512
// row: slow: Tracer Table 2 | N=22 | --model rc11 --algorithm rcmc | executions 512, time 149
// row: Tracer Table 2 | N=25 | --model ra --algorithm tracer | executions 4096, time 3.12
// row: Tracer Table 2 | N=25 | --model ra --equivalence rf | executions 4096
#include "ra.h"

enum { INODES = 32, BLOCKS = 26, BOUND = 20 };

static int inode[INODES], busy[BLOCKS];
static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];

static void *worker(void *argument) {
    int i = number(argument) % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int b = 2 * i % BLOCKS;
        for (int tries = 0; tries < BOUND; tries++) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&block_lock[b]);
                break;
            }
            pthread_mutex_unlock(&block_lock[b]);
            b = (b + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    create(threads, 0, N, worker);
    join(threads, N);
    return 0;
}
