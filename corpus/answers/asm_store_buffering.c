// Store buffering with inline assembly: without a fence, both threads may read 0.
#include <assert.h>
#include <pthread.h>
static int x, y, a, b;
static void store(int *p) { __asm__ __volatile__("movl $1,%0" : "=m"(*p) : : "memory"); }
static int load(int *p) { int v; __asm__ __volatile__("movl %1,%0" : "=r"(v) : "m"(*p) : "memory"); return v; }
static void fence(void) {
#ifdef FENCE
  __asm__ __volatile__("mfence" : : : "memory");
#elif defined LOCKED
  __asm__ __volatile__("lock; addl $0,(%%rsp)" : : : "memory");
#endif
}
static void *left(void *p) { store(&x); fence(); a = load(&y); return p; }
static void *right(void *p) { store(&y); fence(); b = load(&x); return p; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, left, 0);
  pthread_create(&t, 0, right, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a || b);
}
