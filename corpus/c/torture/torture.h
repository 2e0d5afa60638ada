// What the programs of this folder have in common: a checksum, printed natively and asserted when it is checked.
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned long sum = 0xcbf29ce484222325u;

static void mix(unsigned long x) {
    sum = (sum ^ x) * 0x100000001b3u;
    sum ^= sum >> 29;
}

static void mix_float(double x) {
    unsigned long bits;
    memcpy(&bits, &x, sizeof bits);
    mix(x == x ? bits : 0x7ff8u);
}

static void mix_bytes(const void *from, unsigned long n) {
    const unsigned char *bytes = from;
    for (unsigned long i = 0; i < n; i++) mix(bytes[i]);
}

// Values that the optimiser does not know.
static volatile unsigned long seed = 88172645463325252u;
static unsigned long next(void) {
    unsigned long x = seed;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return seed = x;
}

static int done(void) {
#ifdef EXPECTED
    assert(sum == EXPECTED);
#else
    printf("%luul\n", sum);
#endif
    return 0;
}
