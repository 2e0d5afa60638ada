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

#define BUILTINS(N) do { \
        unsigned _BitInt(N) u = (unsigned _BitInt(N))next(), v = (unsigned _BitInt(N))next(), w = (unsigned _BitInt(N))next(); \
        u = u * w >> (next() % (N - 1)); v <<= next() % (N / 2); \
        _BitInt(N) a = (_BitInt(N))(u * w), b = (_BitInt(N))v, r; \
        if (next() % 4 == 0) a = (_BitInt(N))((unsigned _BitInt(N))1 << (N - 1)), u = 0; \
        if (next() % 4 == 0) b = -1, v = 3; \
        mix(__builtin_add_overflow(a, b, &r)); mix((unsigned long)r); mix((unsigned long)(r >> (N / 2))); \
        mix(__builtin_sub_overflow(a, b, &r)); mix((unsigned long)r); mix((unsigned long)(r >> (N / 2))); \
        mix(__builtin_mul_overflow(a, b, &r)); mix((unsigned long)r); mix((unsigned long)(r >> (N / 2))); \
        mix(__builtin_add_overflow(u, v, &w)); mix((unsigned long)w); mix((unsigned long)(w >> (N / 2))); \
        mix(__builtin_sub_overflow(u, v, &w)); mix((unsigned long)w); mix((unsigned long)(w >> (N / 2))); \
        mix(__builtin_mul_overflow(u, v, &w)); mix((unsigned long)w); mix((unsigned long)(w >> (N / 2))); \
        mix(__builtin_popcountg(u)); mix(__builtin_clzg(u, N)); mix(__builtin_ctzg(u, N)); \
        r = a < b ? a : b; mix((unsigned long)r); r = a > b ? a : b; mix((unsigned long)(r >> (N / 2))); w = u < v ? u : v; mix((unsigned long)w); \
        w = (u << 5) | (u >> (N - 5)); mix((unsigned long)w); mix((unsigned long)(w >> (N / 2))); w = (v >> 3) | (v << (N - 3)); mix((unsigned long)(w >> (N - 9))); \
        r = a < 0 && a != b ? -(a + 1) : a; mix((unsigned long)r); w = u + v < u ? ~(unsigned _BitInt(N))0 : u + v; mix((unsigned long)(w >> (N / 2))); } while (0)

__attribute__((noinline)) static _BitInt(100) passed(_BitInt(100) x, int n, unsigned _BitInt(77) y) {
    return n ? passed(x * 3 - n, n - 1, y + 5) : x + (_BitInt(100))y;
}
static const _BitInt(90) constant = -1234567890123456789wb;

int main(void) {
    for (int i = 0; i < 3; i++) { TRY(7); TRY(13); TRY(31); TRY(33); TRY(47); TRY(63); TRY(65); TRY(66); TRY(77); TRY(96); TRY(100); TRY(127); TRY(128); }
    for (int i = 0; i < 4; i++) { BUILTINS(33); BUILTINS(64); BUILTINS(65); BUILTINS(77); BUILTINS(96); BUILTINS(100); BUILTINS(127); BUILTINS(128); }
    _BitInt(100) p = passed((_BitInt(100))next() << 20, 4, (unsigned _BitInt(77))next());
    mix((unsigned long)p); mix((unsigned long)(p >> 50)); mix((unsigned long)(constant >> 3)); mix(constant < 0);
    switch (p & 3) { case 0: mix(1); break; case 1: mix(2); break; default: mix(3); }
    return done();
}
