// Memory: overlapping copies, unaligned and packed accesses, other types, addresses in tables, multi-dimensional arrays.
#include "torture.h"
#include <stdlib.h>

static int matrix[4][5] = {{1, 2}, {[3] = 7}, [3] = {9, 8, 7, 6, 5}};
static int *const middle = &matrix[2][2], *const behind = matrix[3] + 5;
static const char *const names[] = {"zero", "one" "more", &"skipped"[3], (const char *)0};
static struct node { struct node *next; int value; const char *name; } nodes[3] = {{&nodes[1], 1, names[0]}, {&nodes[2], 2, "b"}, {0, 3, "c"}};
static union { unsigned long whole; struct { unsigned short low; unsigned char mid[3]; } parts; float f; unsigned char bytes[8]; } view = {0x1122334455667788};
static char text[] = "a\0b\x7f\377\n", filled[8] = "xyz", wide_text[] = u8"é";
static const unsigned offset = (unsigned)__builtin_offsetof(struct node, name);
struct __attribute__((packed, aligned(2))) odd { char c; unsigned long l; float f; };

__attribute__((noinline)) static int *at(int (*rows)[5], int i, int j) { return &rows[i][j]; }
__attribute__((noinline)) static void swap(void *a, void *b, unsigned long n) { char c[n]; memcpy(c, a, n); memmove(a, b, n); memcpy(b, c, n); }

int main(void) {
    unsigned char buffer[64];
    for (int i = 0; i < 64; i++) buffer[i] = (unsigned char)next();
    memmove(buffer + 3, buffer, 20); memmove(buffer, buffer + 7, 30); memcpy(buffer + 40, buffer, 20); memset(buffer + 10, 0xa5, 5);
    mix_bytes(buffer, 64);
    for (int i = 0; i < 9; i++) { unsigned long x; memcpy(&x, buffer + i, 8); mix(x); x *= 3; memcpy(buffer + 2 * i + 1, &x, 5); unsigned s; memcpy(&s, buffer + i * 3, 4); mix(s); }
    mix(memcmp(buffer, buffer + 1, 8) < 0); mix(memcmp(buffer, buffer, 64)); mix((unsigned long)((unsigned char *)memchr(buffer, buffer[33], 64) - buffer));
    struct odd o[3]; memset(o, 0, sizeof o);
    for (int i = 0; i < 3; i++) { o[i].l = next(); o[i].f = i * 0.5f; unsigned long *p = (void *)((char *)&o[i] + 1); mix(__builtin_offsetof(struct odd, l)); mix(*(unsigned long __attribute__((aligned(1))) *)p); }
    mix_bytes(o, sizeof o); mix(sizeof(struct odd));
    for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) { *at(matrix, i, j) += i * j; mix(matrix[i][j]); }
    mix((unsigned long)(behind - middle)); mix(middle[-2]); mix(behind[-1]); mix((unsigned long)((char *)middle - (char *)matrix)); mix(middle < behind);
    for (int i = 0; names[i]; i++) mix_bytes(names[i], strlen(names[i]));
    for (struct node *n = nodes; n; n = n->next) { mix(n->value); mix_bytes(n->name, strlen(n->name)); mix(*(const char *const *)((char *)n + offset) == n->name); }
    mix(view.parts.low); mix(view.parts.mid[2]); view.f = 1.5f; mix(view.whole); view.bytes[7] ^= 0x80; mix(view.whole);
    mix_bytes(text, sizeof text); mix_bytes(filled, sizeof filled); mix_bytes(wide_text, sizeof wide_text); mix(strlen(text));
    swap(&nodes[0].value, &nodes[2].value, 4); swap(matrix[0], matrix[3], sizeof matrix[0]); mix(nodes[0].value); mix(matrix[0][4]);
    int **rows = malloc(3 * sizeof *rows);
    for (int i = 0; i < 3; i++) { rows[i] = calloc(i + 2, sizeof(int)); rows[i][i] = i + 10; }
    rows[1] = realloc(rows[1], 10 * sizeof(int)); rows[1][9] = 5;
    for (int i = 0; i < 3; i++) { mix(rows[i][i]); mix(i[rows][0]); }
    mix(rows[1][9]); for (int i = 0; i < 3; i++) free(rows[i]); free(rows);
    unsigned char *raw = aligned_alloc(64, 128); mix((unsigned long)raw % 64); memset(raw, 1, 128); mix(raw[127]); free(raw);
    float f = 3.25f; unsigned u; __builtin_memcpy(&u, &f, 4); mix(u); u += 1 << 23; __builtin_memcpy(&f, &u, 4); mix_float(f);
    char *grown = __builtin_alloca(next() % 20 + 5); memset(grown, 7, 5); mix(grown[4]);
    return done();
}
