// Small structs whose fields were not all written, passed and returned by value: with optimisation they are numbers in
// registers, which are masked, shifted, stored and passed on, and nothing of that uses a field. What LLVM makes of a use
// is arbitrary, so only the program without optimisation shows it.
// check: rc11 rf verified
// check: -O1 rc11 rf verified
// check: -O2 rc11 rf verified
// check: -Os -fno-strict-aliasing rc11 rf verified
// check: -DUSED rc11 rf violation uninitialised
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
struct opt { int v; bool has; };
static atomic_int count;
static struct opt last;
static void init(struct opt *o) { o->has = false; }
static void set(struct opt *o, int v) { o->has = true; o->v = v; }
static struct opt take(void) {
    struct opt o;
    init(&o);
    if (atomic_load(&count)) set(&o, 5);
    return o;
}
static bool look(struct opt o) { return o.has && o.v == 5; }
static bool has(struct opt o) { return o.has; }
static bool keep(struct opt *h) { struct opt o = take(); *h = o; return look(o); }
static struct opt both(struct opt *h) { struct opt o = take(); *h = o; if (o.has) o.v = 5; return o; }
static void *run(void *x) { atomic_store(&count, 1); return 0; }
int main() {
    pthread_t t; pthread_create(&t, 0, run, 0);
    bool b = look(take());
    has(take());
    struct opt h, k;
    bool c = keep(&h);
    assert(c == h.has);
    assert(c || !b);
    struct opt d = both(&k);
    assert(d.has || !k.has);
    last = d;
    if (last.has) assert(d.v == 5);
    if (has(k)) assert(k.v == 5);
    struct opt e = take();
    if (e.has) assert(has(k) == look(k));
#ifdef USED
    assert(e.v == 5);
#endif
    pthread_join(t, 0);
}
