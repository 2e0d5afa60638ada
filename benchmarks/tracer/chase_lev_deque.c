// A work-stealing deque: its owner pushes 1, 2 and 4, for which the array of two has to grow, and takes twice, while a
// thief steals once. The original has fences and a sequentially consistent compare-and-swap; here everything is release
// and acquire.
//
// row: Tracer Table 7 |  | --model ra --algorithm tracer | executions 20852, time 2.10 | ours executions 24: the original has more accesses, and fences whose weakening is not described
// row: Tracer Table 7 |  | --model ra --equivalence rf | executions 20852 | ours executions 24: the original has more accesses, and fences whose weakening is not described
#include "ra.h"

enum { NONE = 0 };

static atomic_int top, bottom, current, small[2], large[4];

static atomic_int *cell(int array, int index) {
    return array == 0 ? &small[index % 2] : &large[index % 4];
}

static void push(int value) {
    int b = LOAD(bottom), t = LOAD(top), array = LOAD(current);
    if (array == 0 && b - t > 1) {
        for (int i = t; i < b; i++)
            STORE(*cell(1, i), LOAD(*cell(0, i)));
        STORE(current, 1);
        array = 1;
    }
    STORE(*cell(array, b), value);
    STORE(bottom, b + 1);
}

static int take(void) {
    int b = LOAD(bottom) - 1, array = LOAD(current), value = NONE;
    STORE(bottom, b);
    int t = LOAD(top);
    if (t > b) {
        STORE(bottom, b + 1);
        return NONE;
    }
    value = LOAD(*cell(array, b));
    if (t == b) {
        if (!CAS(top, t, t + 1))
            value = NONE;
        STORE(bottom, b + 1);
    }
    return value;
}

static void *thief(void *argument) {
    int t = LOAD(top), b = LOAD(bottom);
    if (t < b) {
        LOAD(*cell(LOAD(current), t));
        (void)CAS(top, t, t + 1);
    }
    return argument;
}

static void *owner(void *argument) {
    push(1);
    push(2);
    push(4);
    take();
    take();
    return argument;
}

int main(void) {
    pthread_t threads[2];
    create(threads, 0, 1, thief);
    create(threads, 1, 1, owner);
    join(threads, 2);
    return 0;
}
