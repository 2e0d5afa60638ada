#ifdef NATIVE
#include <stdio.h>
#endif
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned u32; typedef long i64; typedef unsigned long u64;
typedef __int128 i128; typedef unsigned __int128 u128;
typedef i32 v4i32 __attribute__((vector_size(16))); typedef i64 v2i64 __attribute__((vector_size(16)));
typedef i16 v8i16 __attribute__((vector_size(16))); typedef u8 v16u8 __attribute__((vector_size(16)));
typedef float v4f32 __attribute__((vector_size(16))); typedef double v2f64 __attribute__((vector_size(16)));
struct inner { i16 x; i64 y; };
struct fields { u32 a : 5; i32 b : 11; u64 c : 40; i8 d; struct inner e; };
union views { u64 word; u8 bytes[8]; u32 halves[2]; float number; };
#define MIX(value) (h = (h ^ (u64)(value)) * 0x9e3779b97f4a7c15ull + (h >> 29))
static u64 hash_double(double x) { u64 bits; __builtin_memcpy(&bits, &x, 8); return x != x ? 99 : bits; }
static u64 hash_float(float x) { u32 bits; __builtin_memcpy(&bits, &x, 4); return x != x ? 99 : bits; }
/* A number that every type can hold. */
static int whole(double x) { return x > -100 && x < 100 ? (int)x : 7; }
#define NONZERO(type) static type nonzero_##type(type x) { return x == 0 || (type)(x + 1) == 0 ? (type)3 : x; }
NONZERO(i8) NONZERO(u8) NONZERO(i16) NONZERO(u16) NONZERO(i32) NONZERO(u32) NONZERO(i64) NONZERO(u64)
NONZERO(i128) NONZERO(u128)
static i32 overflow_add(i32 a, i32 b) { i32 r; return __builtin_add_overflow(a, b, &r) ? r ^ 5 : r; }
static u64 overflow_mul(u64 a, u64 b) { u64 r; return __builtin_mul_overflow(a, b, &r) ? r ^ 5 : r; }
static struct fields change(struct fields s, union views u) { s.a += 3; s.b ^= (i32)u.word; s.e.y += u.halves[1]; return s; }
