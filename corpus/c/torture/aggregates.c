// Structs and unions of all sizes as arguments, results, elements and parts of others; bit-fields of all kinds.
#include "torture.h"
#include <stdarg.h>
#include <stdlib.h>

#define SIZED(N) struct s##N { unsigned char b[N]; }; \
    __attribute__((noinline)) static struct s##N turn##N(struct s##N x, int by) { \
        for (int i = 0; i < N; i++) x.b[i] = (unsigned char)(x.b[i] * 7 + by + i); \
        return x; }
SIZED(1) SIZED(2) SIZED(3) SIZED(4) SIZED(5) SIZED(7) SIZED(8) SIZED(9) SIZED(12) SIZED(15) SIZED(16) SIZED(17) SIZED(24) SIZED(40)

struct mixed { char c; double d; float f[2]; short s; };
struct floats { float a, b, c; };
struct both { long l; double d; };
struct inside { struct floats f; union { int i; float f; struct { short low, high; } parts; } u; struct mixed *next; };
struct bits { int a : 3; unsigned b : 5; signed c : 11; unsigned : 0; unsigned long d : 33; _Bool e : 1; long f : 20; char g; };
struct __attribute__((packed)) tight { char c; int i; short s; long l; unsigned char t : 3, u : 5; };
struct flexible { int n; int values[]; };

__attribute__((noinline)) static struct mixed mixed(struct mixed m, struct floats f, struct both b) {
    m.d += f.a * b.d;
    m.f[1] = f.c - (float)b.l;
    m.s = (short)(m.s * 3 + m.c);
    return m;
}
__attribute__((noinline)) static struct both pair(long l, double d, struct both b) {
    return (struct both){l + b.l, d - b.d};
}
__attribute__((noinline)) static struct inside deep(struct inside x, int n) {
    x.u.parts.high += n;
    return n ? deep(x, n - 1) : x;
}
__attribute__((noinline)) static long listed(int n, ...) {
    va_list list, copy;
    long total = 0;
    va_start(list, n);
    va_copy(copy, list);
    for (int i = 0; i < n; i++) {
        struct both b = va_arg(list, struct both);
        struct s3 s = va_arg(list, struct s3);
        struct s40 t = va_arg(list, struct s40);
        total = total * 31 + b.l + (long)b.d + s.b[2] + t.b[39] + va_arg(list, int);
    }
    total += va_arg(copy, struct both).l;
    va_end(copy);
    va_end(list);
    return total;
}

int main(void) {
#define TRY(N) do { struct s##N x; for (int i = 0; i < N; i++) x.b[i] = (unsigned char)next(); \
        struct s##N y = turn##N(turn##N(x, 3), (int)next() & 15); mix_bytes(&y, N); } while (0)
    TRY(1); TRY(2); TRY(3); TRY(4); TRY(5); TRY(7); TRY(8); TRY(9); TRY(12); TRY(15); TRY(16); TRY(17); TRY(24); TRY(40);
    struct mixed m = {3, 1.5, {0.25f, -8}, 7};
    struct both b = {-9, 0.125};
    for (int i = 0; i < 4; i++) {
        m = mixed(m, (struct floats){1, 2, 3.5f}, b);
        b = pair(i, m.d, b);
        mix_float(m.d); mix_float(m.f[1]); mix(m.s); mix(b.l); mix_float(b.d);
    }
    struct inside x = deep((struct inside){{1, 2, 3}, {.i = 0x70001}, &m}, 5);
    mix(x.u.i); mix_float(x.next->d); mix_float(x.f.b);
    struct bits f = {0};
    for (int i = 0; i < 40; i++) {
        unsigned long r = next();
        f.a += r; f.b ^= r >> 3; f.c -= r >> 7; f.d = f.d * 3 + r; f.e = r >> 60; f.f = (long)(r << 2); f.g++;
        mix(f.a); mix(f.b); mix(f.c); mix(f.d); mix(f.e); mix(f.f);
    }
    struct tight t[3];
    memset(t, 0, sizeof t);
    for (int i = 0; i < 3; i++) { t[i].i = (int)next(); t[i].l = (long)next(); t[i].s = (short)i; t[i].t = i + 3; t[i].u = 30 - i; }
    mix_bytes(t, sizeof t); mix(sizeof t);
    struct flexible *v = malloc(sizeof *v + 6 * sizeof(int));
    v->n = 6;
    for (int i = 0; i < v->n; i++) v->values[i] = i * i;
    struct flexible *w = memcpy(malloc(sizeof *v + 6 * sizeof(int)), v, sizeof *v + 6 * sizeof(int));
    for (int i = 0; i < w->n; i++) mix(w->values[i]);
    free(v); free(w);
    mix(listed(2, b, (struct s3){{1, 2, 3}}, (struct s40){{[39] = 9}}, 5, b, (struct s3){{4, 5, 6}}, (struct s40){{[39] = 8}}, -5));
    struct both array[3] = {{1, 2}, {3, 4}, {5, 6}}, (*row)[3] = &array;
    array[0] = array[1]; (*row)[2] = (b.l > 0 ? array : *row)[0];
    for (int i = 0; i < 3; i++) mix(array[i].l), mix_float((*row)[i].d);
    return done();
}
