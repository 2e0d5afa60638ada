// A counter behind a spin lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_bool locked;
atomic_int counter;

void *add(void *arg) {
  while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
    ;
  atomic_store_explicit(&counter, atomic_load_explicit(&counter, memory_order_relaxed) + 1, memory_order_relaxed);
  atomic_store_explicit(&locked, 0, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, add, NULL);
  pthread_create(&second, NULL, add, NULL);
  add(NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  assert(atomic_load_explicit(&counter, memory_order_relaxed) == 3);
}
