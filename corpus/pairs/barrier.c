// Two threads meet, and see what the other one has stored.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
pthread_barrier_t barrier;

void *other(void *arg) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_barrier_wait(&barrier);
  assert(atomic_load_explicit(&y, memory_order_relaxed) == 1);
  return NULL;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  pthread_barrier_wait(&barrier);
  assert(atomic_load_explicit(&x, memory_order_relaxed) == 1);
  pthread_join(thread, NULL);
}
