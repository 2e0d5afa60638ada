// A reader of two words notices that a writer was there.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int sequence, low, high;

void *writer(void *arg) {
  atomic_store_explicit(&sequence, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&low, 7, memory_order_relaxed);
  atomic_store_explicit(&high, 7, memory_order_relaxed);
  atomic_store_explicit(&sequence, 2, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  int before = atomic_load_explicit(&sequence, memory_order_acquire);
  if (before % 2 == 0) {
    int l = atomic_load_explicit(&low, memory_order_relaxed);
    int h = atomic_load_explicit(&high, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&sequence, memory_order_relaxed) == before)
      assert(l == h);
  }
  pthread_join(thread, NULL);
}
