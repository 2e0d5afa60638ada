// The fences of the table: T() stands in the rows "tso" and "pso" of a program, P() in its rows "pso" only.
#include <stdatomic.h>

#ifndef FENCES
#define FENCES 0
#endif
#define TSO 1
#define PSO 2

static inline void full_fence(void) { atomic_thread_fence(memory_order_seq_cst); }

static inline void T(void) {
    if (FENCES >= TSO)
        full_fence();
}

static inline void P(void) {
    if (FENCES >= PSO)
        full_fence();
}
