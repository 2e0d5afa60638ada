// Functions of math.h.
#include <assert.h>
#include <math.h>
#include <stdio.h>

static void mix_bits(unsigned long *sum, unsigned long x) { *sum = (*sum ^ x) * 0x9e3779b97f4a7c15u + (x >> 32); }
static void mix(unsigned long *sum, double x) {
    union { double d; unsigned long bits; } u = {x};
    mix_bits(sum, x == x ? u.bits : 5);
}
static void mixf(unsigned long *sum, float x) {
    union { float f; unsigned bits; } u = {x};
    mix_bits(sum, x == x ? u.bits : 5);
}

static const double numbers[] = {0.0, -0.0, 1, -1, 0.5, 2.5, -2.5, 3.75, -1e-3, 1e10, -7.125e20, 1e-310, 1e300, INFINITY, NAN};
#define N (int)(sizeof numbers / sizeof *numbers)

int main(void) {
    unsigned long sum = 7;
    for (int i = 0; i < N; i++) {
        volatile double x = numbers[i];
        volatile float f = (float)x;
        mix(&sum, sqrt(x)), mix(&sum, fabs(x)), mix(&sum, floor(x)), mix(&sum, ceil(x)), mix(&sum, trunc(x)), mix(&sum, round(x)), mix(&sum, rint(x));
        mix(&sum, nearbyint(x)), mix(&sum, exp(x / 9)), mix(&sum, exp2(x / 9)), mix(&sum, expm1(x / 9)), mix(&sum, log(x)), mix(&sum, log2(x));
        mix(&sum, log10(x)), mix(&sum, log1p(x)), mix(&sum, tanh(x)), mix(&sum, sinh(x / 9)), mix(&sum, cosh(x / 9)), mix(&sum, atan(x));
        mix(&sum, asin(x)), mix(&sum, acos(x));
        if (fabs(x) < 1e20)
            mix(&sum, sin(x)), mix(&sum, cos(x)), mix(&sum, tan(x)), mixf(&sum, sinf(f)), mixf(&sum, cosf(f)), mixf(&sum, tanf(f));
        mixf(&sum, sqrtf(f)), mixf(&sum, fabsf(f)), mixf(&sum, floorf(f)), mixf(&sum, ceilf(f)), mixf(&sum, truncf(f)), mixf(&sum, roundf(f)), mixf(&sum, rintf(f));
        mixf(&sum, expf(f)), mixf(&sum, logf(f)), mixf(&sum, log2f(f)), mixf(&sum, log10f(f)), mixf(&sum, atanf(f)), mixf(&sum, exp2f(f));
        if (fabs(x) < 1e15)
            mix_bits(&sum, lround(x)), mix_bits(&sum, lrint(x)), mix_bits(&sum, llround(x)), mix_bits(&sum, lroundf(f)), mix_bits(&sum, llrintf(f));
        mix(&sum, logb(x)), mixf(&sum, logbf(f)), mix_bits(&sum, ilogb(x)), mix_bits(&sum, ilogbf(f));
        mix(&sum, __builtin_powi(x, 5)), mixf(&sum, __builtin_powif(f, -3));
        int exponent;
        double whole;
        float wholef;
        if (isfinite(x))
            mix(&sum, frexp(x, &exponent)), mix_bits(&sum, exponent), mixf(&sum, frexpf(f, &exponent));
        mix(&sum, modf(x, &whole)), mix(&sum, whole), mixf(&sum, modff(f, &wholef)), mixf(&sum, wholef);
        mix_bits(&sum, isnan(x) != 0), mix_bits(&sum, isinf(x) != 0), mix_bits(&sum, isfinite(x) != 0), mix_bits(&sum, signbit(x) != 0);
        mix_bits(&sum, isnormal(x) != 0), mix_bits(&sum, fpclassify(x));
        for (int n = -1100; n < 1100; n += 57)
            mix(&sum, ldexp(x, n)), mix(&sum, scalbn(x, n)), mixf(&sum, ldexpf(f, n));
        for (int j = 0; j < N; j++) {
            volatile double y = numbers[j];
            volatile float g = (float)y;
            mix(&sum, pow(x, y)), mix(&sum, atan2(x, y)), mix(&sum, hypot(x, y)), mix(&sum, fmod(x, y)), mix(&sum, copysign(x, y)), mix(&sum, fdim(x, y));
            mix(&sum, fmax(x, y + 1)), mix(&sum, fmin(x, y + 1));
            mixf(&sum, powf(f, g)), mixf(&sum, atan2f(f, g)), mixf(&sum, hypotf(f, g)), mixf(&sum, fmodf(f, g)), mixf(&sum, copysignf(f, g));
            mixf(&sum, fmaxf(f, g + 1)), mixf(&sum, fminf(f, g + 1)), mixf(&sum, fdimf(f, g));
            mix(&sum, fma(x, y, 1.0 / 3)), mixf(&sum, fmaf(f, g, -1.0f / 3)), mix(&sum, remainder(x, y)), mixf(&sum, remainderf(f, g));
            mix(&sum, nextafter(x, y)), mixf(&sum, nextafterf(f, g));
            mix_bits(&sum, isless(x, y)), mix_bits(&sum, isgreaterequal(x, y)), mix_bits(&sum, isunordered(x, y) != 0);
        }
    }
    mix_bits(&sum, fabs(cbrt(27.0) - 3) < 1e-12), mix_bits(&sum, fabsf(cbrtf(27.0f) - 3) < 1e-5f);
#ifdef EXPECTED
    assert(sum == EXPECTED);
#else
    printf("%luul\n", sum);
#endif
    return 0;
}
