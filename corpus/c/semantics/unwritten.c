// Copying memory that was never written is not a use of it, whichever way the copy takes. Branching on it, computing an
// address from it, comparing it and passing it to the library are uses, before and after copies.
//
// expect: rc11 -- -DLOOP_OF_BYTES => verified
// expect: rc11 -- -DOWN_MEMCPY => verified
// expect: rc11 -- -DTEMPORARY => verified
// expect: rc11 -- -DSWAP => verified
// expect: rc11 -- -DSTRUCT => verified
// expect: rc11 -- -DPARTLY_WRITTEN => verified
// expect: rc11 -- -DWORDS => verified
// expect: rc11 -- -DTHROUGH_A_WORD => verified
// expect: all -- -DCHOICE => verified
// expect: rc11 -- -DCHOICE_OF_CHOICES => verified
// expect: rc11 -- -DCHAIN => verified
// expect: rc11 -- -DSHIFT => verified
// expect: rc11 -- -DREVERSE => verified
// expect: rc11 -- -DPOINTERS => verified
// expect: rc11 -- -DDOUBLES => verified
// expect: rc11 -- -DHEAP => verified
// expect: rc11,tso -- -DOTHER_THREAD => verified
// expect: rc11,tso -- -DPASSED => verified
// expect: rc11 -- -DPASSED_IN_TWO => verified
// expect: rc11 -- -DRETURNED => verified
// expect: rc11 -- -DRETURNED_IN_TWO => verified
// expect: rc11 -- -DRETURNED_ODD => verified
// expect: rc11 -- -DHANDED_ON => verified
// expect: rc11 -- -DTHROUGH_A_POINTER => verified
// expect: rc11 -- -DUSED_PARTLY => violation uninitialised
// expect: rc11 -- -DUSED_COPIED_PART => violation uninitialised
// expect: rc11 -- -DUSED_THROUGH_A_WORD => violation uninitialised
// expect: all -- -DUSED_CHOICE => violation uninitialised
// expect: rc11 -- -DCHOICE_IS_USED => violation uninitialised
// expect: rc11 -- -DUSED_OVERWRITTEN => violation uninitialised
// expect: rc11 -- -DUSED_AS_ADDRESS => violation uninitialised
// expect: rc11 -- -DUSED_AS_INDEX => violation uninitialised
// expect: rc11 -- -DUSED_AS_FUNCTION => violation uninitialised
// expect: rc11 -- -DUSED_AS_BOUND => violation uninitialised
// expect: rc11 -- -DUSED_AS_SIZE => violation uninitialised
// expect: rc11 -- -DUSED_IN_COMPARISON => violation uninitialised
// expect: rc11 -- -DUSED_AS_THREAD => violation uninitialised
// expect: rc11 -- -DUSED_FROM_STRUCT => violation uninitialised
// expect: rc11 -- -DUSED_PASSED => violation uninitialised
// expect: rc11 -- -DUSED_PASSED_IN_TWO => violation uninitialised
// expect: rc11 -- -DUSED_BY_CALLEE => violation uninitialised
// expect: all -- -DUSED_RETURNED => violation uninitialised
// expect: rc11 -- -DUSED_RETURNED_IN_TWO => violation uninitialised
// expect: rc11 -- -DUSED_RETURNED_IN_TWO_BY_POINTER => violation uninitialised
// expect: rc11 -- -DUSED_RETURNED_ODD => violation uninitialised
// expect: rc11 -- -DUSED_HANDED_ON => violation uninitialised
// expect: rc11 -- -DUSED_ON_ONE_PATH => violation uninitialised
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int *from, *to;

static void copy(void *to, const void *from, size_t n) {
    char *d = to;
    const char *s = from;
    while (n--) *d++ = *s++;
}

static void *copies(void *unused) {
    for (int i = 0; to && i < 4; i++) to[i] = from[i];
    return unused;
}

// Structs that are passed and returned in registers.
struct pair { int first, second; };
struct wide { long first; int second, third; };
struct odd { char bytes[3]; };

static struct pair make_pair(int n) {
    struct pair made;
    made.first = n;
    if (n > 5) made.second = n;
    return made;
}
static struct wide make_wide(void) {
    struct wide made;
    made.second = 2;
    return made;
}
static struct odd make_odd(void) {
    struct odd made;
    made.bytes[1] = 3;
    return made;
}
static struct pair hand_on(struct pair pair) { return pair; }
static struct wide hand_on_wide(long unused, struct wide wide) { (void)unused; return wide; }
static int first_of(struct pair pair) { return pair.first; }
static int second_of(struct pair pair) { return pair.second; }
static int second_of_wide(struct wide wide) { return wide.second; }
static int third_of_wide(struct wide wide) { return wide.third; }

int main(void) {
    (void)make_pair, (void)make_wide, (void)make_odd, (void)hand_on, (void)hand_on_wide;
    (void)first_of, (void)second_of, (void)second_of_wide, (void)third_of_wide;
    (void)copy, (void)copies;
#ifdef LOOP_OF_BYTES
    struct padded { char c; int i; } a, b; a.c = 1; a.i = 2;
    unsigned char *to = (unsigned char *)&b, *from = (unsigned char *)&a;
    for (unsigned i = 0; i < sizeof a; i++) to[i] = from[i];
    assert(b.c == 1 && b.i == 2);
#elif defined OWN_MEMCPY
    struct padded { char c; int i; } a, b; a.c = 1; a.i = 2;
    copy(&b, &a, sizeof a);
    assert(b.c == 1 && b.i == 2);
#elif defined TEMPORARY
    int a[4], b[4]; a[0] = 7;
    for (int i = 0; i < 4; i++) { int t = a[i]; b[i] = t; }
    assert(b[0] == 7);
#elif defined SWAP
    int a[2]; a[0] = 7;
    int t = a[0]; a[0] = a[1]; a[1] = t;
    assert(a[1] == 7);
#elif defined STRUCT
    struct parts { char c; int i; long l; } a, b, v[2]; a.c = 1;
    b = a; v[0] = b; v[1] = v[0];
    assert(v[1].c == 1);
#elif defined PARTLY_WRITTEN
    uint32_t x, y; unsigned char *p = (unsigned char *)&x, *q = (unsigned char *)&y; p[0] = 1; p[1] = 2;
    y = x;
    assert(q[0] == 1 && q[1] == 2);
#elif defined WORDS
    union { uint64_t w[2]; unsigned char b[16]; } x, y; x.b[3] = 9; x.b[8] = 4;
    for (int i = 0; i < 2; i++) y.w[i] = x.w[i];
    assert(y.b[3] == 9 && y.b[8] == 4);
#elif defined THROUGH_A_WORD
    unsigned char from[8], to[8]; from[3] = 9;
    uint64_t word; memcpy(&word, from, 8); memcpy(to, &word, 8);
    assert(to[3] == 9);
#elif defined CHOICE
    int a[4], b[4], c[4]; a[0] = 7; c[1] = 8;
    for (int i = 0; i < 4; i++) b[i] = (i & 1) ? c[i] : a[i];
    assert(b[0] == 7 && b[1] == 8);
#elif defined CHOICE_OF_CHOICES
    int a[4], b[4], c[4]; a[0] = 7; c[1] = 8;
    for (int i = 0; i < 4; i++) { int t = i == 3 ? 5 : i % 2 ? c[i] : a[i]; b[i] = t; }
    assert(b[0] == 7 && b[1] == 8 && b[3] == 5);
#elif defined CHAIN
    int a[2], b[2], c[2]; a[0] = 1;
    for (int i = 0; i < 2; i++) c[i] = b[i] = a[i];
    assert(c[0] == 1);
#elif defined SHIFT
    int a[5]; a[0] = 1; a[1] = 2;
    for (int i = 4; i > 0; i--) a[i] = a[i - 1];
    assert(a[1] == 1 && a[2] == 2);
#elif defined REVERSE
    int a[4], b[4]; a[1] = 1;
    for (int i = 0; i < 4; i++) b[i] = a[i];
    for (int i = 0; i < 4; i++) a[i] = b[3 - i];
    assert(a[2] == 1);
#elif defined POINTERS
    int x = 1, *a[3], *b[3]; a[0] = &x;
    for (int i = 0; i < 3; i++) b[i] = a[i];
    assert(*b[0] == 1);
#elif defined DOUBLES
    double a[3], b[3]; a[0] = 1;
    for (int i = 0; i < 3; i++) b[i] = a[i];
    assert(b[0] == 1);
#elif defined HEAP
    char *a = malloc(16), *b = malloc(16); a[0] = 1;
    memcpy(b, a, 16); memmove(a + 4, a, 8); a = realloc(a, 64);
    assert(b[0] == 1 && a[4] == 1);
    free(a), free(b);
#elif defined OTHER_THREAD
    from = malloc(16), to = malloc(16); from[2] = 5;
    pthread_t t; pthread_create(&t, 0, copies, 0); pthread_join(t, 0);
    assert(to[2] == 5);
    free(from), free(to);
#elif defined PASSED
    struct pair pair; pair.first = 7;
    assert(first_of(pair) == 7);
#elif defined PASSED_IN_TWO
    struct wide wide; wide.second = 7;
    assert(second_of_wide(wide) == 7);
#elif defined RETURNED
    struct pair pair = make_pair(4); assert(pair.first == 4);
    pair = make_pair(6); assert(pair.first == 6 && pair.second == 6);
#elif defined RETURNED_IN_TWO
    struct wide wide = make_wide();
    assert(wide.second == 2);
#elif defined RETURNED_ODD
    struct odd odd = make_odd();
    assert(odd.bytes[1] == 3);
#elif defined HANDED_ON
    assert(first_of(hand_on(hand_on(make_pair(4)))) == 4);
    assert(second_of_wide(hand_on_wide(1, hand_on_wide(2, make_wide()))) == 2);
    assert(make_pair(4).first + make_wide().second == 6);
#elif defined THROUGH_A_POINTER
    struct pair (*make)(int) = make_pair, (*hand)(struct pair) = hand_on; int (*second)(struct pair) = second_of;
    struct wide (*make_two)(void) = make_wide, (*hand_two)(long, struct wide) = hand_on_wide;
    assert(hand(make(4)).first == 4 && second(hand(make(6))) == 6 && hand_two(1, make_two()).second == 2);
#elif defined USED_PASSED
    struct pair pair; pair.first = 7;
    if (second_of(pair)) abort();
#elif defined USED_PASSED_IN_TWO
    struct wide wide; wide.second = 7;
    if (third_of_wide(wide)) abort();
#elif defined USED_BY_CALLEE
    struct pair *pair = malloc(sizeof *pair); pair->first = 7;
    if (second_of(*pair)) abort();
#elif defined USED_RETURNED
    struct pair pair = make_pair(4);
    if (pair.second) abort();
#elif defined USED_RETURNED_IN_TWO
    struct wide wide = make_wide();
    if (wide.third) abort();
#elif defined USED_RETURNED_IN_TWO_BY_POINTER
    struct wide (*make)(void) = make_wide, wide = make();
    if (wide.third) abort();
#elif defined USED_RETURNED_ODD
    struct odd odd = make_odd();
    if (odd.bytes[0]) abort();
#elif defined USED_HANDED_ON
    if (second_of(hand_on(hand_on(make_pair(4))))) abort();
#elif defined USED_ON_ONE_PATH
    int sum = 0;
    for (int i = 6; i > 4; i--) sum += hand_on(make_pair(i)).second;
#elif defined USED_PARTLY
    uint32_t x; unsigned char *p = (unsigned char *)&x; p[0] = 1; p[1] = 2;
    if (x == 5) abort();
#elif defined USED_COPIED_PART
    uint32_t x, y; unsigned char *p = (unsigned char *)&x, *q = (unsigned char *)&y; p[0] = 1;
    y = x;
    if (q[3]) abort();
#elif defined USED_THROUGH_A_WORD
    unsigned char from[8], to[8]; from[3] = 9;
    uint64_t word; memcpy(&word, from, 8); memcpy(to, &word, 8);
    if (to[4]) abort();
#elif defined USED_CHOICE
    int a[2], b[2]; a[0] = 1;
    for (int i = 0; i < 2; i++) b[i] = i < 2 ? a[i] : 0;
    if (b[1]) abort();
#elif defined CHOICE_IS_USED
    int a[2]; a[0] = 1;
    if (from ? a[0] : a[1]) abort();
#elif defined USED_OVERWRITTEN
    int a[2], b[2] = {1, 2}; a[0] = 1;
    for (int i = 0; i < 2; i++) b[i] = a[i];
    if (b[1]) abort();
#elif defined USED_AS_ADDRESS
    int x = 0, *p[2]; p[0] = &x;
    *p[1] = 1;
#elif defined USED_AS_INDEX
    int a[2], b[4] = {0}; a[0] = 1;
    if (b[a[1] & 3]) abort();
#elif defined USED_AS_FUNCTION
    void *(*f[2])(void *); f[0] = copies;
    f[1](0);
#elif defined USED_AS_BOUND
    int n[2], s = 0; n[0] = 1;
    for (int i = 0; i < n[1]; i++) s++;
#elif defined USED_AS_SIZE
    size_t n[2]; n[0] = 1;
    free(malloc(n[1]));
#elif defined USED_IN_COMPARISON
    int a[2]; a[0] = 1;
    int r = a[0] == a[1]; (void)r;
#elif defined USED_AS_THREAD
    pthread_t t[2]; pthread_create(&t[0], 0, copies, 0);
    pthread_join(t[1], 0);
#elif defined USED_FROM_STRUCT
    struct item { int kind, value; } i, *ring = malloc(2 * sizeof i); i.kind = 1;
    ring[0] = i;
    if (ring[0].value) abort();
    free(ring);
#else
#error "no case"
#endif
    return 0;
}
