// Atomic operations of one thread, on all sizes and types, by all names.
#include "torture.h"
#include <stdatomic.h>

#define TRY(T) do { _Atomic(T) x = (T)next(); T old = atomic_load(&x), expected = (T)(old + 1); \
        mix(atomic_fetch_add(&x, (T)5)); mix(atomic_fetch_sub_explicit(&x, (T)9, memory_order_relaxed)); mix(atomic_fetch_and(&x, (T)0x5d)); \
        mix(atomic_fetch_or(&x, (T)0x22)); mix(atomic_fetch_xor_explicit(&x, (T)next(), memory_order_acq_rel)); mix(atomic_exchange(&x, (T)next())); \
        mix(atomic_compare_exchange_strong(&x, &expected, (T)1)); mix(expected); mix(atomic_compare_exchange_strong(&x, &expected, (T)7)); mix(x); \
        x += 3; x ^= 1; mix(x++); mix(--x); T plain = (T)next(); mix(__sync_fetch_and_nand(&plain, (T)6)); mix(__sync_add_and_fetch(&plain, (T)4)); \
        mix(__sync_val_compare_and_swap(&plain, plain, (T)2)); mix(__atomic_fetch_max(&plain, (T)100, __ATOMIC_RELAXED)); mix(__atomic_fetch_min(&plain, (T)3, __ATOMIC_SEQ_CST)); \
        mix(__atomic_nand_fetch(&plain, (T)9, __ATOMIC_ACQUIRE)); mix(__sync_bool_compare_and_swap(&plain, (T)0, (T)1)); mix(__atomic_exchange_n(&plain, (T)8, __ATOMIC_RELEASE)); } while (0)

struct pair { long a; int b; int c; };
static _Atomic struct pair shared;
static _Atomic double number = 1.5;
static _Atomic float single = 0.25f;
static _Atomic(int *) pointer;
static int array[8];
static _Atomic unsigned __int128 wide;

int main(void) {
    for (int i = 0; i < 3; i++) { TRY(signed char); TRY(unsigned char); TRY(short); TRY(unsigned short); TRY(int); TRY(unsigned); TRY(long); TRY(unsigned long); }
    number += 2; number *= 1.5; mix_float(number); mix_float(number--); single -= 3; mix_float(single); mix_float(atomic_exchange(&single, 9.5f));
    double expected = 0; mix(atomic_compare_exchange_strong(&number, &expected, 1.0)); mix_float(expected); mix(atomic_compare_exchange_strong(&number, &expected, 1.0)); mix_float(number);
    pointer = array + 3; mix((unsigned long)(atomic_fetch_add(&pointer, 2) - array)); mix((unsigned long)(pointer - array)); mix((unsigned long)(atomic_exchange(&pointer, array + 7) - array));
    struct pair p = {1, 2, 3}, q = {1, 2, 3}; atomic_store(&shared, p); p.b = 9; mix(atomic_compare_exchange_strong(&shared, &q, p)); q = atomic_load(&shared); mix(q.b); q = atomic_exchange(&shared, q); mix(q.a); q = atomic_load(&shared); mix(q.c);
    wide = ((unsigned __int128)next() << 64) | next(); wide += next(); unsigned __int128 w = wide; mix((unsigned long)w); mix((unsigned long)(w >> 64)); mix(atomic_compare_exchange_strong(&wide, &w, w * 3)); mix((unsigned long)(wide >> 60));
    atomic_flag flag = ATOMIC_FLAG_INIT; mix(atomic_flag_test_and_set(&flag)); mix(atomic_flag_test_and_set(&flag)); atomic_flag_clear(&flag); mix(atomic_flag_test_and_set(&flag));
    atomic_thread_fence(memory_order_seq_cst); atomic_signal_fence(memory_order_acquire); __sync_synchronize(); _Atomic _Bool b = 0; mix(b |= 5); _Atomic int i = 6; mix(atomic_fetch_xor(&i, 3));
    return done();
}
