// check: rc11 rf executions 12
// check: sc co executions 12
// check: tso rf executions 12
// options: --nondet -2..7
//
// Every value of the range that fits the type is tried once: 8 unsigned ones, of which 2 are assumed away, and two
// truth values each. (The other two of the range are negative.)
void __VERIFIER_assume(int);
unsigned __VERIFIER_nondet_uint(void);
_Bool __VERIFIER_nondet_bool(void);
#include <assert.h>

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    _Bool twice = __VERIFIER_nondet_bool();
    assert(n <= 7);
    __VERIFIER_assume(n % 4 != 3);
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += twice ? 2 : 1;
    assert(sum == n * (twice ? 2 : 1));
    return 0;
}
