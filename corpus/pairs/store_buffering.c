// Two threads store and then look at what the other one has stored.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

atomic_int x, y;

void *first(void *arg) {
  atomic_store(&x, 1);
  return (void *)(intptr_t)atomic_load(&y);
}

void *second(void *arg) {
  atomic_store(&y, 1);
  return (void *)(intptr_t)atomic_load(&x);
}

int main(void) {
  pthread_t one, two;
  void *seen[2];
  pthread_create(&one, NULL, first, NULL);
  pthread_create(&two, NULL, second, NULL);
  pthread_join(one, &seen[0]);
  pthread_join(two, &seen[1]);
  assert((intptr_t)seen[0] + (intptr_t)seen[1] > 0);
}
