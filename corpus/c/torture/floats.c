// Floating-point numbers: special values, comparisons, conversions at the limits, rounding, minimum and maximum.
#include "torture.h"
#include <float.h>
#include <math.h>

int main(void) {
    volatile double zero = 0, one = 1;
    double values[] = {0.0, -zero, 1, -1.5, 1 / zero, -1 / zero, zero / zero, DBL_MIN, DBL_MAX, DBL_EPSILON, 0.1, 4.9e-324, 1e300, 123456789.75, -2147483648.0, 9007199254740993.0};
    unsigned n = sizeof values / sizeof *values;
    for (unsigned i = 0; i < n; i++) {
        double x = values[i];
        float f = (float)x;
        mix_float(f); mix_float(-x); mix_float(fabs(x)); mix_float(x * one + 0.3); mix_float(x - x); mix_float(x / 3); mix(x != x); mix(!x); mix(signbit(x) != 0);
        mix_float(floor(x)); mix_float(ceil(x)); mix_float(trunc(x)); mix_float(round(x)); mix_float(rint(x)); mix_float(nearbyint(x)); mix_float(sqrt(fabs(x)));
        mix(isnan(x)); mix(isinf(x) != 0); mix(isfinite(x)); mix(isnormal(x)); mix_float(f + 0.1f); mix_float(f * f); mix_float((double)(float)(x * 3));
        for (unsigned j = 0; j < n; j++) {
            double y = values[j];
            mix((x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | isunordered(x, y) << 6 | islessgreater(x, y) << 7);
            mix_float(copysign(x, y));
            if (x == x && y == y && (x != 0 || y != 0)) { mix_float(fmin(x, y)); mix_float(fmax(x, y)); }
        }
        if (fabs(x) < 2e9) { mix((int)x); mix((short)(int)x); mix((unsigned)(long)x); }
        if (fabs(x) < 9e18) mix((long)x);
        if (x >= 0 && x < 1.8e19) mix((unsigned long)x);
    }
    for (int i = 0; i < 20; i++) {
        unsigned long r = next();
        mix_float((double)(long)r); mix_float((double)r); mix_float((float)r); mix_float((float)(int)r); mix_float((unsigned char)r); mix_float((double)(unsigned)r * (int)(r >> 32));
        double d; r = (r & 0x800fffffffffffff) | 0x3fe0000000000000; memcpy(&d, &r, 8);
        int e; mix_float(frexp(d * 1000, &e)); mix(e); mix_float(ldexp(d, 12)); mix_float(fmod(d * 100, 7.5)); double whole; mix_float(modf(d * 50, &whole)); mix_float(whole);
        mix_float(d += 0.5); mix_float(d++); mix_float(--d); mix_float(d > 1 ? d : -d);
        mix((long)(d * 1e6)); mix((int)(float)d); mix_float((float)d / 3 * 3 - (float)d);
    }
    long double l = 1.25; l = l * 3 + 1; mix_float((double)l);
    return done();
}
