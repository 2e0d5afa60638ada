// Atomic sections, as functions and from begin to end: no other thread, in a section or not, acts in
// their midst. Plain accesses outside of sections race with them where races are errors.
// expect: all -- -DFUNCTION => verified
// expect: all -- -DNESTED => verified
// expect: all -- -DTWO_WRITES => verified
// expect: all -- -DBACK_AND_FORTH => verified
// expect: all -- -DTWO_READS => verified
// expect: all -- -DOUTSIDE_ADD => verified
// expect: all -- -DTWO_READS -DOPEN => violation assertion
// expect: all -- -DTWO_WRITES -DOPEN => violation assertion
// expect: all -- -DBACK_AND_FORTH -DOPEN => violation assertion
// expect: sc,tso,pso -- -DPLAIN => verified
// expect: ra,sra,rc11,wrc11 -- -DPLAIN => violation race
// expect: ra,sra,rc11,wrc11 --no-race-detection -- -DPLAIN => verified
// expect: sc,tso,pso --mapping raw -- -DTWO_WRITES => verified
// expect: sc,tso,pso --mapping raw -- -DTWO_READS => verified
// expect: all -- -DSPIN => verified
// expect: all -- -DSPIN -DNEVER => violation non-termination
// expect: sc,tso,ra,rc11 --nondet 0..1 -- -DCHOICE => violation assertion
// expect: sc,tso,ra,rc11 --nondet 0..1 -- -DCHOICE -DOK => verified
// expect: sc,tso -- -DMUTEX => violation deadlock
// expect: rc11 -- -DMUTEX => verified
// expect: sc,rc11 -- -DNO_BEGIN => violation lock-misuse
// expect: models/sc.cat,models/rc11.cat -- -DTWO_WRITES => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);
#ifdef OPEN
#define BEGIN (void)0
#define END (void)0
#else
#define BEGIN __VERIFIER_atomic_begin()
#define END __VERIFIER_atomic_end()
#endif
static atomic_int x, y;
static int c, d;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int __VERIFIER_atomic_add(int n) {
    int before = c;
    if (n == 0) return before;
    c = before + n;
    return before;
}
void __VERIFIER_atomic_twice(void) {
    __VERIFIER_atomic_add(1);
    __VERIFIER_atomic_add(1);
}
static void *first(void *u) {
#if defined FUNCTION
    __VERIFIER_atomic_add(1);
#elif defined NESTED
    __VERIFIER_atomic_twice();
#elif defined TWO_WRITES
    BEGIN;
    x = 1;
    y = 1;
    END;
#elif defined BACK_AND_FORTH
    BEGIN;
    x = 1;
    x = 0;
    END;
#elif defined TWO_READS
    BEGIN;
    int a = x, b = x;
    END;
    assert(a == b);
#elif defined OUTSIDE_ADD
    BEGIN;
    int a = x;
    x = a + 1;
    END;
#elif defined PLAIN
    BEGIN;
    c = 1;
    d = 1;
    END;
#elif defined SPIN
    for (;;) {
        BEGIN;
        int seen = x;
        END;
        if (seen) break;
    }
#elif defined CHOICE
    BEGIN;
    x = __VERIFIER_nondet_bool();
    END;
#elif defined MUTEX
    BEGIN;
    pthread_mutex_lock(&mutex);
    c++;
    pthread_mutex_unlock(&mutex);
    END;
#elif defined NO_BEGIN
    END;
#endif
    return u;
}
static void *second(void *u) {
#if defined FUNCTION
    __VERIFIER_atomic_add(1);
#elif defined NESTED
    int n = __VERIFIER_atomic_add(0);
    assert(n == 0 || n == 2);
#elif defined TWO_WRITES
    int a = x, b = y;
    assert(!(a == 1 && b == 0));
#elif defined BACK_AND_FORTH
    assert(x == 0);
#elif defined TWO_READS
    x = 1;
#elif defined OUTSIDE_ADD
    x++;
#elif defined PLAIN
    int a = c, b = d;
    assert(!(a == 1 && b == 0));
#elif defined SPIN && !defined NEVER
    x = 1;
#elif defined CHOICE
#ifdef OK
    assert(x < 2);
#else
    assert(x == 0);
#endif
#elif defined MUTEX
    pthread_mutex_lock(&mutex);
    c++;
    pthread_mutex_unlock(&mutex);
#endif
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
#if defined FUNCTION || defined MUTEX
    assert(c == 2);
#elif defined OUTSIDE_ADD
    assert(x == 2);
#endif
    return 0;
}
