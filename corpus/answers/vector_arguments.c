// Vectors as arguments and results; small structs of numbers are passed as vectors, also for `...`.
#include <assert.h>
#include <stdarg.h>
typedef float four __attribute__((vector_size(16)));
typedef struct { float x, y; } pair;
static four twice(four v) { return v + v; }
static pair swapped(pair p) { return (pair){p.y, p.x}; }
static float sum(int n, ...) {
  va_list list;
  va_start(list, n);
  float total = 0;
  for (int i = 0; i < n; i++) {
    total += va_arg(list, int);
    pair p = va_arg(list, pair);
    total += p.x + 10 * p.y;
  }
  va_end(list);
  return total;
}
int main(void) {
  four v = {1, 2, 3, 4};
  four (*through)(four) = twice;
  assert(through(v)[3] == 8);
  assert(swapped((pair){1, 2}).x == 2);
  assert(sum(2, 5, (pair){3, 1}, 7, (pair){1, 2}) == 5 + 13 + 7 + 21);
}
