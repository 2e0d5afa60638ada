// All sizes and operations of stdatomic.h, and the older builtins.
//
// check: rc11 rf executions 1
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdint.h>
#include <stdbool.h>
atomic_flag f = ATOMIC_FLAG_INIT; _Atomic uint8_t b; _Atomic uint64_t q; _Atomic(void*) p; atomic_bool ab; volatile int v; _Atomic double d;
struct pt { int x, y; }; _Atomic struct pt ap;
int main(void) { while (atomic_flag_test_and_set(&f)); atomic_flag_clear(&f); b = 250; b += 10; assert(b == 4); assert(atomic_exchange(&q, 5) == 0); q |= 8; assert(q == 13); atomic_store(&p, &q); void *e = 0; assert(!atomic_compare_exchange_weak(&p, &e, 0)); assert(e == &q); ab = true; assert(ab); 
 __sync_fetch_and_add(&v, 3); assert(__sync_bool_compare_and_swap(&v, 3, 4)); __sync_synchronize(); assert(__atomic_load_n(&v, __ATOMIC_SEQ_CST) == 4); __atomic_thread_fence(__ATOMIC_ACQUIRE); atomic_signal_fence(memory_order_seq_cst);
 struct pt z = {1,2}; atomic_store(&ap, z); struct pt w = atomic_load(&ap); assert(w.y == 2); d = 1.5; d += 1; assert(d == 2.5); asm volatile("" ::: "memory"); asm volatile("mfence" ::: "memory"); return 0; }
