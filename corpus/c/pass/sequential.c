// Structs by value, unions, bit-fields, function pointers, variable arguments, recursion, floats, switches.
//
// check: rc11 rf executions 1
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct pair { int first, second; };
struct big { long words[5]; char name[7]; double ratio; };
struct bits { unsigned low : 3; int middle : 10; unsigned long high : 40; };
union number { double d; unsigned char bytes[8]; };

static struct pair swap(struct pair p) { return (struct pair){p.second, p.first}; }
static struct big grow(struct big b, int by) { b.words[4] += by; b.ratio *= 2; return b; }
static int sum(int n, ...) {
    va_list args;
    int total = 0;
    va_start(args, n);
    for (int i = 0; i < n; i++)
        total += i % 2 ? (int)va_arg(args, double) : va_arg(args, int);
    va_end(args);
    return total;
}
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int twice(int n) { return 2 * n; }
static int (*table[])(int) = {fibonacci, twice};
static int kind(int c) {
    switch (c) {
    case 'a': case 'e': return 1;
    case -1: return 2;
    default: return c > 100 ? 3 : 4;
    }
}
static int compare(const int *a, const int *b) { return *a - *b; }
static void sort(int *base, int n, int (*order)(const int *, const int *)) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && order(&base[j - 1], &base[j]) > 0; j--) {
            int other = base[j];
            base[j] = base[j - 1];
            base[j - 1] = other;
        }
}

int main(int argc, char **argv) {
    struct pair p = swap((struct pair){1, 2});
    assert(p.first == 2 && p.second == 1);
    struct big b = {{1, 2, 3, 4, 5}, "abc", 1.5};
    b = grow(b, 10);
    assert(b.words[4] == 15 && b.ratio == 3.0 && strcmp(b.name, "abc") == 0);
    struct bits s = {5, -3, 1ul << 39};
    s.low += 4;
    assert(s.low == 1 && s.middle == -3 && s.high == 1ul << 39);
    union number u = {.d = 1.0};
    assert(u.bytes[7] == 0x3f && u.bytes[6] == 0xf0);
    assert(sum(4, 1, 2.5, 3, 4.5) == 10);
    assert(table[0](10) == 55 && table[argc](4) == 8);
    assert(kind('e') == 1 && kind(-1) == 2 && kind(120) == 3 && kind('b') == 4);
    int numbers[] = {3, -1, 2}, *grown = malloc(2 * sizeof(int));
    sort(numbers, 3, compare);
    assert(numbers[0] == -1 && numbers[2] == 3);
    grown[1] = 7;
    grown = realloc(grown, 4 * sizeof(int));
    assert(grown[1] == 7 && argv[0] != NULL);
    free(grown);
    unsigned char wrap = 250;
    wrap += 10;
    assert(wrap == 4 && (short)40000 < 0 && -7 / 2 == -3 && -7 % 2 == -1 && -8 >> 1 == -4);
    assert((unsigned)(float)16777217 == 16777216u && (int)-2.9 == -2);
    assert(__builtin_popcount(0xff0) == 8 && __builtin_clz(1) == 31);
    int result;
    assert(__builtin_add_overflow(2000000000, 2000000000, &result));
    return 0;
}
