// Arithmetic of all widths: overflow, saturation, shifts, rotations, counting, conversions, division.
#include "torture.h"

#define OVERFLOWS(T) do { T a = (T)next(), b = (T)next(), r; \
        mix(__builtin_add_overflow(a, b, &r)); mix(r); mix(__builtin_sub_overflow(a, b, &r)); mix(r); \
        mix(__builtin_mul_overflow(a, b, &r)); mix(r); mix(__builtin_mul_overflow((T)(a >> (sizeof(T) * 4)), (T)3, &r)); mix(r); \
        mix(__builtin_elementwise_add_sat(a, b)); mix(__builtin_elementwise_sub_sat(a, b)); \
        mix(__builtin_elementwise_max(a, b)); mix(__builtin_elementwise_min(a, b)); } while (0)
#define DIVISIONS(T) do { T a = (T)next(), b = (T)((next() >> (next() & 63)) | 1); if (b == (T)-1) b = 3; mix(a / b); mix(a % b); mix(a < b); mix(a == b); mix(-a); mix(~a & b); } while (0)
#define ROTATES(T) do { T a = (T)next(); unsigned n = next() % (8 * sizeof(T)); mix((T)(a << n) | (T)(a >> ((8 * sizeof(T) - n) % (8 * sizeof(T))))); mix((T)(a >> n)); } while (0)
#define EACH(M) M(signed char); M(unsigned char); M(short); M(unsigned short); M(int); M(unsigned); M(long); M(unsigned long)

int main(void) {
    for (int i = 0; i < 6; i++) { EACH(OVERFLOWS); EACH(DIVISIONS); EACH(ROTATES); }
    for (int i = 0; i < 12; i++) {
        unsigned long x = next() >> (next() & 63) | 1;
        mix(__builtin_clz((unsigned)x | 1)); mix(__builtin_clzl(x)); mix(__builtin_ctz((unsigned)x | 256)); mix(__builtin_ctzl(x));
        mix(__builtin_popcount((unsigned)x)); mix(__builtin_popcountl(x)); mix(__builtin_parityl(x)); mix(__builtin_ffsl((long)x << 3));
        mix(__builtin_bswap16((unsigned short)x)); mix(__builtin_bswap32((unsigned)x)); mix(__builtin_bswap64(x));
        mix(__builtin_bitreverse8((unsigned char)x)); mix(__builtin_bitreverse64(x)); mix(__builtin_clrsbl((long)x));
        mix(__builtin_rotateleft32((unsigned)x, i)); mix(__builtin_rotateright64(x, i * 5)); mix(__builtin_abs((int)x | 1)); mix(__builtin_labs((long)x));
    }
    char c = (char)next(); signed char s = (signed char)next(); unsigned char u = (unsigned char)next();
    mix(c + s * u); mix(c < s); mix(u > s); mix((char)(u << 1) >> 1); mix((short)(s * 1000)); mix((unsigned)s >> 4); mix(-u); mix(!c + !!s);
    long big = (long)next();
    mix((int)big); mix((short)big); mix((unsigned char)big); mix((int)big > 0 ? big : -big); mix((unsigned)(int)(short)big);
    mix(big >> 63); mix(big << 1 >> 1 == big); mix((big & 0xff) - 0x100 < 0u);
    for (unsigned i = 0; i < 70; i += 7) mix(i < 64 ? 1ul << i : (unsigned long)(1u << (i & 31)));
    int counter = 0;
    counter += counter++ + 0 * counter--; mix(counter);
    mix((counter = 5, counter *= 3, counter %= 7, counter <<= 4, counter ^= 3, counter |= 64, counter &= ~1, counter));
    _Bool b = 2; b += 5; mix(b); b = (_Bool)0.25; mix(b); enum { A = -3, B = 1u << 30, C } e = C; mix(e - A);
    unsigned __int128 w = (unsigned __int128)next() * next(); mix((unsigned long)(w >> 64)); mix((unsigned long)(w / 12345)); mix((unsigned long)(w % 999999937));
    return done();
}
