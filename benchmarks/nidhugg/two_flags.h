// A lock of two flags for threads 0 and 1. It never retries: where both want it, the execution is given up.
#include "fences.h"

void __VERIFIER_assume(int);

static volatile int wants[2];

static inline void lock(int id) {
    wants[id] = 1;
    full_fence();
    __VERIFIER_assume(wants[1 - id] == 0);
}

static inline void unlock(int id) {
    full_fence();
    wants[id] = 0;
}
