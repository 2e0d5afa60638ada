// Integers of more than 128 bits: `_BitInt`, and runs of bit-fields that clang accesses as one integer.
#include "torture.h"
#include <string.h>

#pragma clang diagnostic ignored "-Wshift-count-overflow"

// What is above the bits of a number in memory is not fixed.
#define MIX_ALL(X, BITS) \
    do { \
        unsigned _BitInt((BITS + 127) / 128 * 128) all = (unsigned _BitInt(BITS))(X); \
        mix_bytes(&all, sizeof all); \
    } while (0)

#define TRY(BITS) \
    __attribute__((noinline)) static void try##BITS(void) { \
        unsigned _BitInt(BITS) a = (unsigned _BitInt(BITS))next(), b = (unsigned _BitInt(BITS))next(); \
        for (int at = 0; at + 40 < BITS; at += 50) { \
            a = a << 50 ^ (unsigned _BitInt(BITS))next(); \
            if (at % 100) b = b * a ^ (unsigned _BitInt(BITS))next(); \
        } \
        _BitInt(BITS) c = (_BitInt(BITS))a, d = (_BitInt(BITS))b; \
        unsigned by = (unsigned)(next() % BITS); \
        MIX_ALL(a + b, BITS); MIX_ALL(a - b, BITS); MIX_ALL(a * b, BITS); MIX_ALL(a & b, BITS); MIX_ALL(a ^ ~b, BITS); \
        MIX_ALL(a | b, BITS); MIX_ALL(-a, BITS); MIX_ALL(a << by, BITS); MIX_ALL(a >> by, BITS); MIX_ALL(c >> by, BITS); \
        MIX_ALL(c >> (BITS - 1), BITS); MIX_ALL(a << 64, BITS); MIX_ALL(c >> 65, BITS); MIX_ALL(a >> 3, BITS); \
        MIX_ALL(a << (BITS - 1), BITS); MIX_ALL(a << 127, BITS); MIX_ALL(a >> 0, BITS); \
        mix(a < b); mix(c < d); mix(a == b); mix(a != a + 1); mix(c >= d); mix(c <= c); mix((a >> 70) > (b >> 70)); mix(!a); \
        mix((c >> 9) == (d >> 9)); mix((unsigned char)a); mix((unsigned long)(long)(c >> (BITS - 20))); \
        MIX_ALL((unsigned _BitInt(BITS))(_BitInt(BITS + 9))c, BITS); MIX_ALL((_BitInt(BITS + 70))c, BITS + 70); \
        MIX_ALL((_BitInt(100))c, 100); MIX_ALL((_BitInt(BITS))(_BitInt(100))d, BITS); MIX_ALL((_BitInt(BITS))(__int128)d, BITS); \
        MIX_ALL((_BitInt(BITS))(int)a, BITS); MIX_ALL((unsigned _BitInt(BITS))(int)b, BITS); MIX_ALL((_BitInt(BITS))(_Bool)b, BITS); \
        MIX_ALL(c < 0 ? -c : c, BITS); MIX_ALL(c < d ? c : d, BITS); MIX_ALL(a > b ? a : b, BITS); \
        unsigned _BitInt(BITS) array[3] = {a, b, 5}; struct { char tag; _BitInt(BITS) value; short after; } held = {1, c, 3}, copy = held; \
        array[by % 3] += 77; copy.value -= d; copy.after++; \
        MIX_ALL(array[0], BITS); MIX_ALL(array[1], BITS); MIX_ALL(array[2], BITS); MIX_ALL(copy.value, BITS); \
        mix(__builtin_popcountg(a)); mix(__builtin_clzg(b, BITS)); mix(__builtin_ctzg(a << by, BITS)); \
        mix(sizeof array); mix(sizeof held); mix((unsigned long)copy.after); \
    }
TRY(129) TRY(136) TRY(160) TRY(191) TRY(192) TRY(193) TRY(256) TRY(385)

#define OVERFLOW(BITS) \
    __attribute__((noinline)) static void overflow##BITS(void) { \
        unsigned _BitInt(BITS) u = (unsigned _BitInt(BITS))next() << (next() % BITS), v = (unsigned _BitInt(BITS))next() << (next() % BITS), w; \
        if (next() % 4 == 0) u -= 7; \
        if (next() % 4 == 0) v = ~(unsigned _BitInt(BITS))0 - (unsigned _BitInt(BITS))(next() % 9); \
        _BitInt(BITS) a = (_BitInt(BITS))u, b = (_BitInt(BITS))v, r; \
        mix(__builtin_add_overflow(a, b, &r)); MIX_ALL(r, BITS); mix(__builtin_sub_overflow(a, b, &r)); MIX_ALL(r, BITS); \
        mix(__builtin_add_overflow(u, v, &w)); MIX_ALL(w, BITS); mix(__builtin_sub_overflow(u, v, &w)); MIX_ALL(w, BITS); \
        mix(__builtin_mul_overflow(u, v, &w)); MIX_ALL(w, BITS); \
        w = u < v ? 0 : u - v; MIX_ALL(w, BITS); w = u + v < u ? ~(unsigned _BitInt(BITS))0 : u + v; MIX_ALL(w, BITS); \
        w = u << 21 | u >> (BITS - 21); MIX_ALL(w, BITS); w = u >> 70 | v << (BITS - 70); MIX_ALL(w, BITS); w = u << 64 | v >> (BITS - 64); MIX_ALL(w, BITS); \
    }
OVERFLOW(129) OVERFLOW(144) OVERFLOW(192) OVERFLOW(250)

#define DIVIDE(BITS) \
    __attribute__((noinline)) static void divide##BITS(void) { \
        unsigned _BitInt(BITS) a = (unsigned _BitInt(BITS))next() << (BITS - 64) ^ next(), b = (unsigned _BitInt(BITS))next() << 9 | 1; \
        _BitInt(BITS) c = (_BitInt(BITS))a, d = -(_BitInt(BITS))b; \
        MIX_ALL(a / b, BITS); MIX_ALL(a % b, BITS); MIX_ALL(c / d, BITS); MIX_ALL(c % d, BITS); MIX_ALL(c / 7, BITS); MIX_ALL(b / a, BITS); \
    }
DIVIDE(136) DIVIDE(192) DIVIDE(200)

static unsigned _BitInt(200) in_memory = 123456789012345678901234567890123456789012345678901234567890uwb;
static _BitInt(190) negative = -98765432109876543210987654321098765432109876543210wb;

struct __attribute__((packed)) tight {
    unsigned a : 2, b : 18;
    unsigned long c : 53;
    signed long d : 37;
    unsigned e : 1;
    signed char f : 7;
    unsigned long g : 61, h : 3;
    long i : 64;
    unsigned char j;
};
struct loose { unsigned long a : 33, b : 60, c : 64; int d : 3, e : 29; signed long f : 1, g : 63; };
union both { struct tight bits; unsigned char bytes[sizeof(struct tight)]; };

__attribute__((noinline)) static unsigned _BitInt(256) rotated(unsigned _BitInt(256) x, int by) {
    return x << by | x >> (256 - by);
}
__attribute__((noinline)) static unsigned _BitInt(192) turned_around(unsigned _BitInt(192) x) {
    unsigned _BitInt(192) y = 0;
    for (int i = 0; i < 24; i++) y |= (unsigned _BitInt(192))(unsigned char)(x >> (8 * i)) << (8 * (23 - i));
    return y;
}
__attribute__((noinline)) static struct tight turned(struct tight x) {
    struct tight y = x;
    y.a = x.f; y.c = x.g; y.d += (long)x.c; y.f = (signed char)x.b; y.g ^= (unsigned long)x.i; y.h++; y.j--;
    return y;
}
__attribute__((noinline)) static int which(unsigned _BitInt(200) x) {
    switch (x) {
    case 0: return 1;
    case 123456789012345678901234567890123456789012345678901234567890uwb: return 2;
    case 77: return 3;
    default: return 4;
    }
}

static void mix_tight(const struct tight *x) {
    mix(x->a); mix(x->b); mix(x->c); mix((unsigned long)x->d); mix(x->e); mix((unsigned long)x->f); mix(x->g); mix(x->h);
    mix((unsigned long)x->i); mix(x->j);
}

int main(void) {
    for (int i = 0; i < 3; i++) { try129(); try136(); try160(); try191(); try192(); try193(); try256(); try385(); }
    for (int i = 0; i < 20; i++) { overflow129(); overflow144(); overflow192(); overflow250(); }
    divide136(); divide192(); divide200();
    MIX_ALL(in_memory, 200); MIX_ALL(negative, 190);
    in_memory += 1;
    mix((unsigned long)which(in_memory)); mix((unsigned long)which(in_memory - 1)); mix((unsigned long)which(77));
    unsigned _BitInt(256) x = 1;
    for (int i = 1; i < 12; i++) x = rotated(x + (unsigned _BitInt(256))next(), i * 21);
    MIX_ALL(x, 256); MIX_ALL(turned_around((unsigned _BitInt(192))x), 192);
    union both u;
    memset(&u, 0, sizeof u);
    for (int i = 0; i < 9; i++) {
        unsigned long r = next();
        u.bits.a = (unsigned)r & 3; u.bits.b += (unsigned)next() & 0x3ffff; u.bits.c = next() & 0x1fffffffffffff; u.bits.d -= (long)(r & 0xffffff);
        u.bits.e ^= 1; u.bits.f = (signed char)(r & 0x3f); u.bits.g |= r >> 9; u.bits.h++; u.bits.i = (long)next(); u.bits.j++;
        u.bits = turned(u.bits);
        mix_tight(&u.bits);
        for (unsigned at = 0; at < sizeof u.bytes; at++) mix(u.bytes[at]);
        u.bytes[r % sizeof u.bytes] ^= (unsigned char)(r >> 11);
        mix_tight(&u.bits);
    }
    struct loose l = {0};
    for (int i = 0; i < 5; i++) {
        l.a += 0x123456789; l.b = next() & 0xfffffffff; l.c ^= next(); l.d = (int)(l.c & 3); l.e += 5; l.f = -(long)(l.a & 1); l.g = -(long)l.b;
        struct loose m = l;
        mix(m.a); mix(m.b); mix(m.c); mix((unsigned long)m.d); mix((unsigned long)m.e); mix((unsigned long)m.f); mix((unsigned long)m.g);
    }
    return done();
}
