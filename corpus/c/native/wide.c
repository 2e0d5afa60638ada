// Integers of 128 bits: arithmetic, comparisons, conversions, memory, and passing them on.
#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

static void mix(unsigned long *sum, uwide x) { *sum = (*sum ^ (unsigned long)x) * 0x9e3779b97f4a7c15u + (unsigned long)(x >> 64); }
static void mix_double(unsigned long *sum, double x) {
    union { double d; unsigned long bits; } u = {x};
    mix(sum, u.bits);
}

static const uwide big = ((uwide)0x123456789abcdef0u << 64) | 0xfedcba9876543210u;
static const wide constants[9] = {0, 1, -1, 12345678901234567, -98765432109876543, (wide)1 << 100, -((wide)3 << 90) - 5};
struct both { char c; wide w; short s; uwide u; };

static wide passed(wide a, int n, uwide b) { return n ? passed(a * 3 + n, n - 1, b ^ a) : a + (wide)b; }
static struct both changed(struct both x) { x.w -= x.c; x.u = ~x.u; return x; }
static int kind(uwide x) {
    switch (x) {
    case 0: return 1;
    case (uwide)1 << 100: return 2;
    case ~(uwide)0: return 3;
    default: return 4;
    }
}

int main(void) {
    unsigned long sum = 7;
    wide numbers[9];
    memcpy(numbers, constants, sizeof numbers);
    numbers[7] = (wide)(big >> 3), numbers[8] = -(wide)(big >> 5);
    for (int i = 0; i < 9; i++) {
        wide a = numbers[i];
        mix(&sum, -a), mix(&sum, ~a), mix(&sum, a << i * 14), mix(&sum, a >> i * 15), mix(&sum, (uwide)a >> i * 13), mix(&sum, a >> 64), mix(&sum, a << 127);
        mix(&sum, a ? -a : a), mix(&sum, kind(a)), mix(&sum, a++), mix(&sum, --a), mix(&sum, !a);
        mix(&sum, (char)a), mix(&sum, (unsigned)a), mix(&sum, (long)a), mix(&sum, (_Bool)a);
        mix_double(&sum, (double)a), mix_double(&sum, (float)a), mix_double(&sum, (double)(uwide)a), mix_double(&sum, (float)((uwide)a >> 2));
        for (int j = 0; j < 9; j++) {
            wide b = numbers[j];
            mix(&sum, (uwide)a + b), mix(&sum, (uwide)a - b), mix(&sum, (uwide)a * b), mix(&sum, a & b), mix(&sum, a | b), mix(&sum, a ^ b);
            mix(&sum, a < b), mix(&sum, a <= b), mix(&sum, a == b), mix(&sum, a != b), mix(&sum, a > b), mix(&sum, a >= b);
            mix(&sum, (uwide)a < b), mix(&sum, (uwide)a <= b), mix(&sum, (uwide)a > b), mix(&sum, (uwide)a >= b);
            if (b)
                mix(&sum, a / b), mix(&sum, a % b), mix(&sum, (uwide)a / b), mix(&sum, (uwide)a % b);
            mix(&sum, passed(a, j, b));
        }
    }
    for (double x = 1; x < 1e38 && x > -1e38; x *= -977.25)
        mix(&sum, (wide)x), mix(&sum, (uwide)(x < 0 ? -x : x)), mix(&sum, (wide)(float)x);
    struct both x = {3, numbers[5], 4, big}, y = changed(x), *p = &y;
    p->u += x.u / 7, mix(&sum, y.w), mix(&sum, y.u), mix(&sum, sizeof x), mix(&sum, y.c + y.s);
#ifdef EXPECTED
    assert(sum == EXPECTED);
#else
    printf("%luul\n", sum);
#endif
    return 0;
}
