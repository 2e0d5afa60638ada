// Members of unions and structs that were never written: passing, returning and copying them is no use, also through
// function pointers. What clang makes of a member that has the type of its whole union is decided by where it goes.
//
// expect: rc11 -- -DCOPIED => verified
// expect: rc11 -- -DPASSED => verified
// expect: rc11 -- -DRETURNED => verified
// expect: rc11 -- -DRESULT_COPIED => verified
// expect: rc11 -- -DRESULT_IGNORED => verified
// expect: rc11 -- -DBY_POINTER => verified
// expect: rc11 -- -DPLAIN_BY_POINTER => verified
// expect: rc11 -- -DATOMIC => verified
// expect: rc11 -- -DBIT_FIELDS => verified
// expect: rc11 -- -DTHREAD_RESULT => verified
// expect: all -- -DUSED => violation uninitialised
// expect: rc11 -- -DUSED_SINGLE => violation uninitialised
// expect: rc11 -- -DUSED_FLOAT => violation uninitialised
// expect: rc11 -- -DUSED_POINTER => violation uninitialised
// expect: rc11 -- -DUSED_NESTED => violation uninitialised
// expect: rc11 -- -DUSED_IN_SUM => violation uninitialised
// expect: rc11 -- -DUSED_IN_SWITCH => violation uninitialised
// expect: rc11 -- -DUSED_AS_ARGUMENT => violation uninitialised
// expect: rc11 -- -DUSED_COPY => violation uninitialised
// expect: rc11 -- -DUSED_BY_CALLEE => violation uninitialised
// expect: rc11 -- -DUSED_RESULT => violation uninitialised
// expect: rc11 -- -DUSED_RESULT_OF_MEMBER => violation uninitialised
// expect: rc11 -- -DUSED_COPIED_RESULT => violation uninitialised
// expect: rc11 -- -DUSED_PASSED_BY_POINTER => violation uninitialised
// expect: rc11 -- -DUSED_PASSED_IN_TWO_BY_POINTER => violation uninitialised
// expect: rc11 -- -DUSED_RETURNED_BY_POINTER => violation uninitialised
// expect: rc11 -- -DUSED_RETURNED_FROM_TABLE => violation uninitialised
// expect: rc11 -- -DUSED_HANDED_ON_BY_POINTER => violation uninitialised
// expect: rc11 -- -DUSED_BIT_FIELD => violation uninitialised
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

union number { int i; float f; };
struct single { int only; };
struct pair { int first, second; };
struct wide { long first; int second, third; };
struct nested { struct { union number n; } inner; };
struct bits { unsigned a : 3, b : 5; };

static union number make(void) { union number n; return n; }
static union number same(union number n) { return n; }
static int member(void) { union number n; return n.i; }
static int field(struct single s) { return s.only; }
static int value(union number n) { return n.i; }
static struct pair make_pair(int n) { struct pair p; p.first = n; if (n > 5) p.second = n; return p; }
static struct pair same_pair(struct pair p) { return p; }
static int second_of(struct pair p) { return p.second; }
static int third_of(long unused, struct wide w) { return (void)unused, w.third; }
static int twice(int n) { return 2 * n; }
static void takes(int n) { (void)n; }
static void *runs(void *unused) { union { void *p; long l; } u; u.p = unused; return u.p; }

int main(void) {
    (void)make, (void)same, (void)member, (void)field, (void)value, (void)make_pair, (void)same_pair;
    (void)second_of, (void)third_of, (void)twice, (void)takes, (void)runs;
#ifdef COPIED
    union number a, b, c[2]; b = a; c[1] = b; c[0].i = c[1].i;
#elif defined PASSED
    union number a; struct nested n; a = same(a); n.inner.n = same(n.inner.n);
#elif defined RETURNED
    union number a = make(); a = same(same(make())); a.i = 3; assert(same(a).i == 3);
#elif defined RESULT_COPIED
    int a[2]; a[0] = member(); a[1] = a[0];
    struct single s; a[1] = field(s);
#elif defined RESULT_IGNORED
    union number a; member(); make(); value(a);
    int (*pointer)(void) = member; pointer();
#elif defined BY_POINTER
    struct pair (*making)(int) = make_pair, (*handing)(struct pair) = same_pair; int (*second)(struct pair) = second_of;
    assert(handing(making(4)).first == 4 && second(handing(making(6))) == 6);
    union number (*numbers[2])(union number) = {same, same}, a = numbers[1](numbers[0](make()));
    a.i = 5; assert(numbers[0](a).i == 5);
#elif defined PLAIN_BY_POINTER
    int (*pointer)(int) = twice, a[2]; a[0] = pointer(3); a[1] = pointer(a[0]); pointer(a[1]);
    assert(a[1] == 12);
#elif defined ATOMIC
    _Atomic union number shared; union number a; atomic_init(&shared, a); a.i = 2; atomic_store(&shared, a);
    a = atomic_load(&shared); assert(a.i == 2);
    struct padded { char c; short s; } p; _Atomic struct padded q; p.c = 1; p.s = 2;
    atomic_store(&q, p); p = atomic_exchange(&q, p); assert(p.c == 1 && p.s == 2);
#elif defined BIT_FIELDS
    struct bits a, b; a.a = 3; b = a; a.b = 1; assert(b.a == 3 && a.b == 1);
#elif defined THREAD_RESULT
    int x; void *got; pthread_t t; pthread_create(&t, 0, runs, &x); pthread_join(t, &got); assert(got == &x);
#elif defined USED
    union number a; if (a.i) abort();
#elif defined USED_SINGLE
    struct single s; if (s.only) abort();
#elif defined USED_FLOAT
    union { float f; int i; } a; if (a.f > 1) abort();
#elif defined USED_POINTER
    union { int *p; long l; } a; *a.p = 1;
#elif defined USED_NESTED
    struct nested n; if (n.inner.n.i) abort();
#elif defined USED_IN_SUM
    union number a; int sum = a.i + 1; (void)sum;
#elif defined USED_IN_SWITCH
    union number a; switch (a.i) { case 1: abort(); }
#elif defined USED_AS_ARGUMENT
    union number a; takes(a.i);
#elif defined USED_COPY
    union number a, b = a; if (b.i) abort();
#elif defined USED_BY_CALLEE
    union number a; if (value(same(a))) abort();
#elif defined USED_RESULT
    if (make().i) abort();
#elif defined USED_RESULT_OF_MEMBER
    if (member()) abort();
#elif defined USED_COPIED_RESULT
    int a[1]; a[0] = member(); if (a[0]) abort();
#elif defined USED_PASSED_BY_POINTER
    int (*second)(struct pair) = second_of; struct pair p; p.first = 1; if (second(p)) abort();
#elif defined USED_PASSED_IN_TWO_BY_POINTER
    int (*third)(long, struct wide) = third_of; struct wide w; w.first = 1; if (third(1, w)) abort();
#elif defined USED_RETURNED_BY_POINTER
    struct pair (*making)(int) = make_pair, p = making(4); if (p.second) abort();
#elif defined USED_RETURNED_FROM_TABLE
    struct pair (*table[2])(int) = {make_pair, make_pair}; int sum = 0;
    for (int i = 6; i > 4; i--) sum += table[i % 2](i).second;
#elif defined USED_HANDED_ON_BY_POINTER
    struct pair (*volatile handing)(struct pair) = same_pair; if (handing(handing(make_pair(1))).second) abort();
#elif defined USED_BIT_FIELD
    struct bits a, b = a; if (b.b) abort();
#else
#error "no case"
#endif
    return 0;
}
