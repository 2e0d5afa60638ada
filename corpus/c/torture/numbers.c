// Unusual numbers: complex ones, and floating-point numbers of 16 bits. Bit-fields that end at the end of their struct.
#include "torture.h"

static void mix_complex(double _Complex z) { mix_float(__real__ z); mix_float(__imag__ z); }

static const _Float16 halves[] = {0, -0.0f16, 1, 65504, 6e-5f16, 6e-8f16, 0.1f16, -2049, (_Float16)(1.0 / 0.0)};

struct __attribute__((packed)) tail { signed char a : 4; double b; __int128 c : 101; unsigned short d : 5; };

int main(void) {
    double parts[] = {1.5, -0.25, 1e300, 0.0, 3, 1.0 / 0.0, -1e-300};
    for (int i = 0; i < 7; i++) for (int j = 0; j < 7; j++) {
        double _Complex z = parts[i] + parts[j] * 1.0i, w = (z + 1) * (z - parts[(i + j) % 5]);
        float _Complex f = (float)parts[i] + (float)(parts[j] / 7) * 1.0fi;
        mix_complex(w); mix_complex(-z); f = f * f; mix_float(__real__ f); mix_float(__imag__ f); mix(w == z);
    }
    double _Complex quotient = (6.0 + 8.0i) / 2.0i; mix_complex(quotient);
    for (int i = 0; i < 9; i++) {
        _Float16 a = halves[i]; mix_float(a); mix_float(-a); mix((long)(a < halves[8] && a > -3 ? a : 4));
        for (int j = 0; j < 9; j++) { _Float16 b = halves[j]; mix_float(a + b); mix_float(a * b); mix_float((_Float16)(a - b) / 3); mix(a < b); mix(a == b); }
        for (int k = -30; k < 30; k++) mix_float((_Float16)(1.0009765625 * (double)a * (k < 0 ? 1.0 / (1 << -k) : 1 << k)));
    }
    for (unsigned long k = 1; k < 200000; k = k * 3 + 1) { mix_float((_Float16)k); mix_float((_Float16)(k * 1e-9)); mix_float((_Float16)(__int128)k); }
    struct tail many[3]; memset(many, 0, sizeof many);
    for (int i = 0; i < 3; i++) { many[i].a = (int)next(); many[i].b = i; many[i].c = (__int128)next() << 30; many[i].d = (unsigned short)next(); }
    unsigned long index = next() % 3; struct tail *p = &many[index]; mix(p->a); mix_float(p->b); mix((unsigned long)p->c); mix((unsigned long)(p->c >> 60)); mix(p->d);
    return done();
}
