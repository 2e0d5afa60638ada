// Integers of odd widths.
#include "torture.h"

#define TRY(N) do { \
        _BitInt(N) a = (_BitInt(N))((_BitInt(N))next() * (_BitInt(N))next()), b = (_BitInt(N))next() | 1; \
        unsigned _BitInt(N) u = (unsigned _BitInt(N))a, v = (unsigned _BitInt(N))b; \
        if (b == -1) b = 3; \
        mix((unsigned long)(a + b)); mix((unsigned long)(a - b)); mix((unsigned long)(u * v)); mix((unsigned long)(u / v)); mix((unsigned long)(u % v)); \
        mix((unsigned long)(a / b)); mix((unsigned long)(a % b)); mix((unsigned long)(a >> 3)); mix((unsigned long)(u >> (N - 2))); mix((unsigned long)(u << 5)); \
        mix(a < b); mix(u < v); mix(a == b); mix((unsigned long)(a & b)); mix((unsigned long)(a ^ b)); mix((unsigned long)~u); mix((unsigned long)-a); \
        mix((unsigned long)(u >> (N / 2))); mix((long)(a >> (N - 1))); mix_float((double)(a >> (N / 2))); mix_float((float)(u >> 1)); \
        struct { char c; _BitInt(N) x; char d; } s = {1, a, 2}; s.x++; mix((unsigned long)s.x); mix(sizeof s); \
        _BitInt(N) array[3] = {a, b, a ^ b}; mix((unsigned long)array[next() % 3]); \
        u = 0; u--; mix((unsigned long)u); mix((unsigned long)(u >> (N - 5))); } while (0)

__attribute__((noinline)) static _BitInt(100) passed(_BitInt(100) x, int n, unsigned _BitInt(77) y) {
    return n ? passed(x * 3 - n, n - 1, y + 5) : x + (_BitInt(100))y;
}
static const _BitInt(90) constant = -1234567890123456789wb;

int main(void) {
    for (int i = 0; i < 3; i++) { TRY(7); TRY(13); TRY(31); TRY(33); TRY(47); TRY(63); TRY(65); TRY(66); TRY(77); TRY(96); TRY(100); TRY(127); TRY(128); }
    _BitInt(100) p = passed((_BitInt(100))next() << 20, 4, (unsigned _BitInt(77))next());
    mix((unsigned long)p); mix((unsigned long)(p >> 50)); mix((unsigned long)(constant >> 3)); mix(constant < 0);
    switch (p & 3) { case 0: mix(1); break; case 1: mix(2); break; default: mix(3); }
    return done();
}
