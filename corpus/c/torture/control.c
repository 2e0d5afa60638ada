// Jumps of all kinds: computed ones, into loops and switches, out of nested ones, recursion, tables of functions.
#include "torture.h"
#include <setjmp.h>

__attribute__((noinline)) static long machine(const unsigned char *code) {
    static const void *const table[] = {&&push, &&add, &&twice, &&loop, &&end, &&skip};
    long stack[16], *top = stack, left = 3;
    const unsigned char *at = code;
    goto *table[*at++];
push: *top++ = *at++; goto *table[*at++];
add: top--; top[-1] += *top; goto *table[*at++];
twice: top[-1] *= 2; goto *table[*at++];
skip: at++; goto *table[*at++];
loop: if (left-- > 0) at = code + *at; else at++; goto *table[*at++];
end: return top[-1];
}

// Duff's device, with an entry into the middle of the loop.
static void copy(short *to, const short *from, int n) {
    int rounds = (n + 7) / 8;
    switch (n % 8) {
    case 0: do { *to++ = *from++; __attribute__((fallthrough));
    case 7: *to++ = *from++; __attribute__((fallthrough));
    case 6: *to++ = *from++; __attribute__((fallthrough));
    case 5: *to++ = *from++; __attribute__((fallthrough));
    case 4: *to++ = *from++; __attribute__((fallthrough));
    case 3: *to++ = *from++; __attribute__((fallthrough));
    case 2: *to++ = *from++; __attribute__((fallthrough));
    case 1: *to++ = *from++;
            } while (--rounds > 0);
    }
}

static int switches(long n) {
    switch (n) {
    case -5 ... -1: return 1;
    case 0: switch (sum & 3) { case 0: return 2; case 1: break; default: return 3; } return 4;
    case 1: case 3: case 5: n += 2; __attribute__((fallthrough));
    case 7: return (int)n;
    case 0x7fffffffffffffff: return 8;
    case -0x7fffffffffffffff - 1: return 9;
    default: return n > 1000 ? 10 : 11;
    }
}

static int irreducible(int n) {
    int i = 0, total = 0;
    if (n & 1) goto middle;
top:
    total += i * 3;
middle:
    total ^= n;
    if (++i < n) { if (total & 4) goto top; goto middle; }
    return total;
}

static int ackermann(int m, int n) { return m ? ackermann(m - 1, n ? ackermann(m, n - 1) : 1) : n + 1; }
static int is_odd(unsigned n);
static int is_even(unsigned n) { return n ? is_odd(n - 1) : 1; }
static int is_odd(unsigned n) { return n ? is_even(n - 1) : 0; }

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int (*const table[2])(int, int) = {plus, minus};
typedef int (*binary)(int, int);
__attribute__((noinline)) static binary choose(int which, binary other) { return which & 1 ? other : table[which >> 1 & 1]; }

static jmp_buf place;
__attribute__((noinline)) static void thrower(int depth) { if (depth == 0) longjmp(place, 7); thrower(depth - 1); }

int main(void) {
    static const unsigned char code[] = {0, 5, 0, 6, 1, 2, 3, 5, 5, 9, 4};
    mix(machine(code));
    short from[23], to[23] = {0};
    for (int i = 0; i < 23; i++) from[i] = (short)(i * 1000);
    for (int n = 1; n <= 23; n++) { copy(to, from, n); mix_bytes(to, sizeof to); }
    long cases[] = {-6, -5, -1, 0, 1, 2, 3, 5, 7, 1001, 0x7fffffffffffffff, -0x7fffffffffffffff - 1};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) mix(switches(cases[i] + (long)(seed & 0)));
    for (int n = 0; n < 12; n++) mix(irreducible(n));
    mix(ackermann(2, 3)); mix(is_even(101)); mix(is_odd(77));
    for (int i = 0; i < 8; i++) mix(choose((int)next() & 3, i & 4 ? plus : minus)(i, 3));
    for (int i = 0, j = 10; i < j; i++, j -= i & 1) { if (i == 3) continue; if (j == 6) break; mix(i * 100 + j); }
    for (int i = 1; i < 5; i++) { int vla[i][i + 1]; for (int j = 0; j < i; j++) for (int k = 0; k <= i; k++) vla[j][k] = j * k; mix(vla[i - 1][i]); mix(sizeof vla); }
    mix(({ int x = 3; while (x < 100) x *= x; x; }));
    volatile int again = 0;
    int code_of_jump = setjmp(place);
    mix(code_of_jump); mix(again);
    if (again++ < 3) thrower(again);
    return done();
}
