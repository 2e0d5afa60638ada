// check: rc11 rf verified
// check: -DBIG rc11 rf verified
//
// Padding is not a value: whatever stands in it, a compare-and-swap with the same members succeeds.
#include <assert.h>
#include <stdatomic.h>
typedef struct {
    char a;
    int b;
#ifdef BIG
    long c, d;
#endif
} S;
_Atomic S s;
int main(void) {
    S e = atomic_load(&s), n;
    n.a = 1;
    n.b = 2;
#ifdef BIG
    n.c = n.d = 3;
#endif
    assert(atomic_compare_exchange_strong(&s, &e, n));
    S k = n;
    e = k;
    assert(atomic_compare_exchange_strong(&s, &e, k));
    atomic_store(&s, k);
    S x = atomic_exchange(&s, n);
    assert(x.b == 2);
    return 0;
}
