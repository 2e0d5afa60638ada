#include <stdarg.h>
/* Parsing the headers of the system would take longer than everything else in this file. */
typedef __SIZE_TYPE__ size_t;
typedef struct { long words[25]; } jmp_buf[1];
int _setjmp(jmp_buf) __attribute__((returns_twice)); _Noreturn void longjmp(jmp_buf, int);
int printf(const char *, ...); int snprintf(char *, size_t, const char *, ...); long strtol(const char *, char **, int);
void *malloc(size_t); void free(void *); void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t); size_t strlen(const char *);
char *strchr(const char *, int); int strcmp(const char *, const char *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned u32; typedef long i64; typedef unsigned long u64;
typedef __int128 i128; typedef unsigned __int128 u128;
#define VECTOR(type, n) typedef type v##n##type __attribute__((vector_size(n * sizeof(type))))
VECTOR(i32, 4); VECTOR(i64, 2); VECTOR(i16, 8); VECTOR(u8, 16); VECTOR(float, 4); VECTOR(double, 2);
VECTOR(i32, 2); VECTOR(u8, 8); VECTOR(u64, 4); VECTOR(u32, 8); VECTOR(u16, 32); VECTOR(double, 8); VECTOR(i8, 4);
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
/* Both results of an operation that may overflow, with operands and a result of different types. */
#define OVERFLOW(op, left, right, type) ({ type r_; \
  _Bool o_ = __builtin_##op##_overflow(left, right, &r_); o_ ? r_ ^ 5 : r_; })
/* The middle of two words, which LLVM calls a funnel shift. */
#define FUNNEL(type, bits, high, low, by) ({ type h_ = (high), l_ = (low); u32 b_ = (u32)(by) & (bits - 1); \
  (type)(b_ ? (type)(h_ << b_) | (type)(l_ >> (bits - b_)) : h_); })
static struct fields change(struct fields s, union views u) {
  s.a += 3; s.b ^= (i32)u.word; s.e.y += u.halves[1]; return s;
}
/* Structs that are passed and returned in registers of every kind, on the stack, and through a pointer. */
struct tiny { u8 a; }; struct three { u8 a[3]; };
struct mixed { float f; i32 i; double d; }; struct floats { float a, b, c; };
struct large { u64 w[5]; }; struct wide { i128 x; u8 y; }; struct halves { i16 a, b; float c; u8 d; };
struct __attribute__((packed)) packed { u8 a; u32 b; u16 c; };
struct nested { struct inner in; union views u; struct tiny t[2]; };
#define TURN(name, body) \
  __attribute__((noinline)) static struct name turn_##name(struct name x, u64 k) { body; return x; }
TURN(tiny, x.a += (u8)k) TURN(three, x.a[k % 3] ^= (u8)(k >> 8)) TURN(mixed, x.i += (i32)k; x.d = x.d / 2 + whole(x.f))
TURN(floats, x.a += x.b; x.c = (float)(k & 255)) TURN(large, x.w[k % 5] += k; x.w[4] ^= x.w[0])
TURN(wide, x.x = x.x * 3 + (i128)k; x.y++) TURN(halves, x.a ^= (i16)k; x.c = x.c + 1; x.d -= x.b)
TURN(packed, x.b += (u32)k; x.c ^= x.a) TURN(nested, x.in.y -= (i64)k; x.u.bytes[k & 7]++; x.t[1].a ^= (u8)x.in.x)
/* Structs, floating-point numbers and 128 bits behind an ellipsis. */
static u64 gather(const char *kinds, ...) {
  u64 h = 3; va_list list, again; va_start(list, kinds); va_copy(again, list);
  for (const char *kind = kinds; *kind; kind++) switch (*kind) {
    case 'i': MIX(va_arg(list, int)); break; case 'l': MIX(va_arg(list, u64)); break;
    case 'd': MIX(hash_double(va_arg(list, double))); break;
    case 'm': { struct mixed m = va_arg(list, struct mixed); MIX(m.i); break; }
    case 'g': { struct large l = va_arg(list, struct large); MIX(l.w[1] ^ l.w[4]); break; }
    case 't': { struct three t = va_arg(list, struct three); MIX(t.a[2]); break; } }
  if (*kinds == 'i') MIX(va_arg(again, int));
  va_end(again); va_end(list); return h;
}
static u64 leap(u64 seed, u32 n) {
  jmp_buf outer, inner; volatile u64 h = seed; volatile u32 turns = 0;
  int first = _setjmp(outer); MIX(first);
  if (_setjmp(inner)) { MIX(turns); if (turns < n) { turns++; longjmp(outer, (int)turns + 4); } return h; }
  turns++; longjmp(inner, 1);
}
/* Calls in the place of the caller, and recursion. */
static u64 odd_turn(u64 n, u64 h, struct tiny t);
static u64 even_turn(u64 n, u64 h, struct tiny t) {
  if (!n) return h; MIX(t.a);
  __attribute__((musttail)) return odd_turn(n - 1, h, t);
}
static u64 odd_turn(u64 n, u64 h, struct tiny t) {
  if (!n) return ~h; t.a++;
  __attribute__((musttail)) return even_turn(n - 1, h * 5, t);
}
static u64 recursive(u32 n, u64 h) { return n < 2 ? h + n : recursive(n - 1, h ^ n) * 3 + recursive(n - 2, h + 7); }
typedef u64 (*step)(u64, u32);
static u64 call_recursive(u64 h, u32 n) { return recursive(n & 7, h); }
static const struct { const char *name; step call; int *place; } steps[] = {
  {"leap", leap, 0}, {"recursive", call_recursive, &(int){5}}};

/* Lists on the heap, and the order of numbers. */
struct node { struct node *next; u32 value; };
static struct node *push(struct node *first, u32 value) {
  struct node *node = malloc(sizeof *node); *node = (struct node){first, value}; return node;
}
static struct node *reversed(struct node *node) {
  struct node *first = 0;
  while (node) { struct node *next = node->next; node->next = first; first = node; node = next; } return first;
}
static struct node *without(struct node *first, u32 divisor) {
  for (struct node **place = &first; *place;)
    if ((*place)->value % divisor == 0) { struct node *gone = *place; *place = gone->next; free(gone); }
    else place = &(*place)->next;
  return first;
}
#define ORDER(type) static int order_##type(const void *a, const void *b) { \
  type x = *(const type *)a, y = *(const type *)b; return (x > y) - (x < y); }
ORDER(i32) ORDER(u8) ORDER(i64)
