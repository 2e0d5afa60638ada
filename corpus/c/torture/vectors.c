// Vectors: written as such, and made by the optimiser from loops.
#include "torture.h"

typedef int v4 __attribute__((vector_size(16)));
typedef unsigned char b16 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef long l4 __attribute__((vector_size(32)));
typedef short s8 __attribute__((vector_size(16)));

__attribute__((noinline)) static v4 passed(v4 a, f4 b, int n) { return a * n + __builtin_convertvector(b, v4); }
__attribute__((noinline)) static long total(const int *a, int n) { long t = 0; for (int i = 0; i < n; i++) t += a[i] * 3l; return t; }
__attribute__((noinline)) static void scale(float *a, const float *b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] > 2 ? b[i] * 0.5f : a[i] + 1; }
__attribute__((noinline)) static int find(const unsigned char *a, int n, unsigned char x) { int last = -1; for (int i = 0; i < n; i++) if (a[i] == x) last = i; return last; }
__attribute__((noinline)) static void mixed(short *a, const unsigned char *b, int n) { for (int i = 0; i < n; i++) a[i] = (short)((a[i] << 1) - b[n - 1 - i]); }
__attribute__((noinline)) static unsigned most(const unsigned *a, int n) { unsigned m = 0; for (int i = 0; i < n; i++) m = a[i] > m ? a[i] : m; return m; }

int main(void) {
    v4 a = {1, -2, 3, (int)next()}, b = {(int)next(), 5, -6, 7};
    mix_bytes(&(v4){0}, 16);
    v4 c = a + b * 3 - (a ^ b), d = a > b, e = (a & ~b) | (v4){1, 1}, f = b / (v4){3, 5, 7, -9}, g = a >> 3, h = (v4){1, 2, 3, 4} << (v4){4, 3, 2, 1};
    mix_bytes(&c, 16); mix_bytes(&d, 16); mix_bytes(&e, 16); mix_bytes(&f, 16); mix_bytes(&g, 16); mix_bytes(&h, 16);
    v4 s = __builtin_shufflevector(a, b, 7, 0, 5, 2); mix_bytes(&s, 16); s[next() & 3] = 9; mix(s[(next() >> 5) & 3]); mix_bytes(&s, 16);
    f4 x = {1.5f, -2, 0.25f, 8}, y = x * x - 1; mix_bytes(&y, 16); v4 z = passed(a, y, 5); mix_bytes(&z, 16);
    d2 p = {0.1, -3}; p = p / 3 + (d2){1, 2}; mix_float(p[0]); mix_float(p[1]);
    l4 w = {1, 2, 3, (long)next()}; w = w * w - (l4){9, 8, 7, 6}; for (int i = 0; i < 4; i++) mix(w[i]);
    b16 u = {0}; for (int i = 0; i < 16; i++) u[i] = (unsigned char)next(); u = u + (b16)a; u = u * 2 ^ (b16)(u > 100); mix_bytes(&u, 16);
    s8 t = (s8)u; t = t - (t >> 4); mix_bytes(&t, 16); mix(__builtin_reduce_add(a)); mix(__builtin_reduce_max(b)); mix(__builtin_reduce_xor(t));
    int array[37]; float fs[21], gs[21]; unsigned char bytes[50]; short shorts[50]; unsigned us[33];
    for (int i = 0; i < 37; i++) array[i] = (int)next();
    for (int i = 0; i < 21; i++) fs[i] = i * 0.25f, gs[i] = i * 0.5f;
    for (int i = 0; i < 50; i++) bytes[i] = (unsigned char)(next() & 7), shorts[i] = (short)next();
    for (int i = 0; i < 33; i++) us[i] = (unsigned)next();
    for (int n = 30; n <= 37; n++) mix(total(array, n));
    scale(fs, gs, 21); mix_bytes(fs, sizeof fs); mix(find(bytes, 50, 3)); mixed(shorts, bytes, 50); mix_bytes(shorts, sizeof shorts); mix(most(us, 33));
    return done();
}
