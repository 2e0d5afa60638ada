// Names and their definitions: weak ones, aliases, thread-locals of all models, constructors, tentative definitions.
#include "torture.h"

int tentative; int tentative;
__attribute__((weak)) int weak_value = 5;
extern int absent __attribute__((weak));
__attribute__((weak)) int weak_function(int n) { return n * 2; }
static int original(int n) { return n + 100; }
int other(int n) __attribute__((alias("original_visible")));
int original_visible(int n) { return original(n) + 1; }
extern int weak_alias(int n) __attribute__((weak, alias("original_visible")));
int number = 11; extern int same_number __attribute__((alias("number")));
static _Thread_local int local_exec __attribute__((tls_model("local-exec"))) = 3;
_Thread_local int initial_exec __attribute__((tls_model("initial-exec"))) = 4;
_Thread_local int local_dynamic __attribute__((tls_model("local-dynamic"))) = 5;
_Thread_local struct { int a[3]; } global_dynamic __attribute__((tls_model("global-dynamic"))) = {{1, 2, 3}};
static int order[8], n_order;
__attribute__((constructor)) static void third(void) { order[n_order++] = 3; }
__attribute__((constructor(300))) static void second(void) { order[n_order++] = 2; }
__attribute__((constructor(150))) static void first(void) { order[n_order++] = 1; }
__attribute__((section("elsewhere"), used)) static int placed = 77;
__attribute__((visibility("hidden"))) const int hidden = 21;
static int once(void) { static int n = 40; static int *p = &n; return (*p)++; }
static inline int inlined(int x) { return x ^ hidden; }
struct point { int x, y; };
static const struct point points[] = {[2] = {.y = 5}, [0] = {1}};
static const struct point *const chosen = &points[2];
static struct { int n; const int *p; int (*f)(int); } record = {.p = &points[2].y, .f = original_visible};
static const double table[] = {1.0 / 3, -0.0, 1e-10};
static long distance = (long)(&((char *)0)[24]);

int main(void) {
    tentative++; mix(tentative); mix(weak_value); mix(&absent == 0); mix(weak_function(4)); mix(other(1)); mix(weak_alias(2)); same_number++; mix(number);
    local_exec += initial_exec; mix(local_exec); local_dynamic <<= 2; mix(local_dynamic); global_dynamic.a[1] = local_exec; for (int i = 0; i < 3; i++) mix(global_dynamic.a[i]);
    mix(n_order); for (int i = 0; i < n_order; i++) mix(order[i]);
    mix(placed); mix(hidden); mix(once() + once()); mix(inlined(6)); mix(chosen->y); mix(*record.p); mix(record.f(1)); mix(record.n); mix_float(table[0]); mix(distance);
    mix(sizeof points); mix(points[1].x); mix((other == original_visible)); int *pointer = &initial_exec; (*pointer)--; mix(initial_exec);
    return done();
}
