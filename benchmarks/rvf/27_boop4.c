// A module with a use count: one thread sets it up, lets the others in, waits for one of them, and takes it down again;
// three others wait until they may come in, count themselves, and take a lock if it is free. How often the module is
// taken down is a free choice in the original; here it is N times, and only waiting that ends is counted.
//
// row: RVF-SMC Table 1 | N=10 | --model sc --algorithm rvf | executions 1337215, time 837 | ours executions 133709: the paper does not say what stands for the free choice, nor how the waiting is bounded
// row: slow: RVF-SMC Table 1 | N=10 | --model sc --equivalence rf | executions 11610040, time 2616 | ours verdict verified: the paper does not say what stands for the free choice, nor how the waiting is bounded; not counted to the end
// row: slow: RVF-SMC Table 1 | N=12 | --model sc --algorithm rvf | executions 2893039, time 2017 | ours executions 241076: the paper does not say what stands for the free choice, nor how the waiting is bounded
#include "sc.h"

static atomic_int usecount, locked, flag, may_enter;

static void *owner(void *argument) {
    usecount = 0;
    locked = 0;
    may_enter = 1;
    while (flag == 0) {
    }
    for (int i = 0; i < N; i++) {
        usecount = usecount - 1;
        locked = 0;
    }
    (void)usecount;
    return argument;
}

static void *user(void *argument) {
    while (may_enter == 0) {
    }
    usecount = usecount + 1;
    if (locked)
        return argument;
    locked = 1;
    flag = 1;
    return argument;
}

int main(void) {
    pthread_t threads[4];
    create(threads, 0, 1, owner);
    create(threads, 1, 3, user);
    join(threads, 4);
    return 0;
}
