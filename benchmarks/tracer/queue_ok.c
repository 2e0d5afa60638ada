// THREADS threads take one lock once each; there those with an even number fill a circular queue of N entries if they
// may, the others empty it, and each lets the other side go on. Only the order of the critical sections matters:
// THREADS! executions, however the threads are divided between the two sides.
//
// row: slow: Tracer Table 3 | N=12 THREADS=9 | --model ra --algorithm tracer | executions 362880, time 772
#include "ra.h"

static int queue[N], head, tail, amount, stored[N];
static int may_fill = 1, may_empty;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(int value) {
    queue[tail] = value;
    amount++;
    tail = tail == N - 1 ? 0 : tail + 1;
}

static int get(void) {
    int value = queue[head];
    amount--;
    head = head == N - 1 ? 0 : head + 1;
    return value;
}

static void *worker(void *argument) {
    int fills = number(argument) % 2 == 0;
    pthread_mutex_lock(&lock);
    if (fills ? may_fill : may_empty) {
        for (int i = 0; i < N; i++) {
            if (fills) {
                put(i + 1);
                stored[i] = i + 1;
            } else {
                volatile int same = get() == stored[i];
                (void)same;
            }
        }
        may_fill = !fills;
        may_empty = fills;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS, worker);
    join(threads, THREADS);
    return 0;
}
