// A value is passed to another thread with a flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int slot, ready;

void *writer(void *arg) {
  atomic_store_explicit(&slot, 42, memory_order_relaxed);
  atomic_store_explicit(&ready, 1, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  if (atomic_load_explicit(&ready, memory_order_acquire) == 1)
    assert(atomic_load_explicit(&slot, memory_order_relaxed) == 42);
  pthread_join(thread, NULL);
}
