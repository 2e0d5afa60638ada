// A lock protects some accesses of x and y and not others. The thread that looks for y = 3 ends when it finds it.
// The executions up to co are as many as the paper prints for RCMC, so the program is the paper's. Its counts up to rf
// are 3 smaller than the number of classes that those executions fall into, for each N; the reason is not known. Ours
// are 879 and 1934 for N = 1 and 2 and a polynomial of degree four in N, tried up to 11; so the same 3 are missing at each N.
//
// row: Tracer Table 5 | N=6 | --model ra --algorithm tracer | executions 15601, time 0.96 | ours executions 15604: the paper counts 3 fewer; the executions up to co, whose number it prints too, fall into 15604 classes up to rf
// row: Tracer Table 5 | N=6 | --model ra --equivalence rf | executions 15601 | ours executions 15604: the paper counts 3 fewer; the executions up to co, whose number it prints too, fall into 15604 classes up to rf
// row: Tracer Table 5 | N=6 | --model ra --equivalence co | executions 1203446
// row: Tracer Table 5 | N=6 | --model rc11 --algorithm rcmc | executions 1203446, time 56.75
// row: Tracer Table 5 | N=7 | --model ra --algorithm tracer | executions 22841, time 1.46 | ours executions 22844: the paper counts 3 fewer; the executions up to co, whose number it prints too, fall into 22844 classes up to rf
// row: Tracer Table 5 | N=7 | --model ra --equivalence rf | executions 22841 | ours executions 22844: the paper counts 3 fewer; the executions up to co, whose number it prints too, fall into 22844 classes up to rf
// row: Tracer Table 5 | N=7 | --model ra --equivalence co | executions 2833112
// row: slow: Tracer Table 5 | N=7 | --model rc11 --algorithm rcmc | executions 2833112, time 146
// row: Tracer Table 5 | N=8 | --model ra --algorithm tracer | executions 32313, time 2.23 | ours executions 32316: the paper counts 3 fewer; the executions up to co, whose number it prints too, fall into 32316 classes up to rf
// row: Tracer Table 5 | N=8 | --model ra --equivalence rf | executions 32313 | ours executions 32316: the paper counts 3 fewer; the executions up to co, whose number it prints too, fall into 32316 classes up to rf
// row: Tracer Table 5 | N=8 | --model ra --equivalence co | executions 6158718
// row: slow: Tracer Table 5 | N=8 | --model rc11 --algorithm rcmc | executions 6158718, time 328
// row: Tracer Table 5 | N=9 | --model ra --algorithm tracer | executions 44428, time 3.22 | ours executions 44431: the paper counts 3 fewer; the executions up to co, whose number it prints too, fall into 44431 classes up to rf
// row: Tracer Table 5 | N=9 | --model ra --equivalence rf | executions 44428 | ours executions 44431: the paper counts 3 fewer; the executions up to co, whose number it prints too, fall into 44431 classes up to rf
// row: slow: Tracer Table 5 | N=9 | --model ra --equivalence co | executions 12526576
// row: slow: Tracer Table 5 | N=9 | --model rc11 --algorithm rcmc | executions 12526576, time 708
#include "ra.h"

enum { ROUNDS = 2 };

static atomic_int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        STORE(x, 1);
        for (int i = 0; i < N; i++)
            STORE(y, 1);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *clear(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        STORE(x, 0);
        pthread_mutex_unlock(&lock);
        if (LOAD(x) > 0) {
            STORE(y, LOAD(y) + 1);
            STORE(x, 2);
        }
    }
    return argument;
}

static void *look(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        if (LOAD(x) > 1) {
            if (LOAD(y) == 3)
                break;
            STORE(y, 2);
        }
    }
    return argument;
}

int main(void) {
    pthread_t threads[3];
    create(threads, 0, 1, fill);
    create(threads, 1, 1, clear);
    create(threads, 2, 1, look);
    join(threads, 3);
    return 0;
}
