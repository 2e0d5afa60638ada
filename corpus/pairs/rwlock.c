// Two threads write, and one reads.
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int counter;

void *add(void *arg) {
  pthread_rwlock_wrlock(&lock);
  counter++;
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, add, NULL);
  pthread_create(&second, NULL, add, NULL);
  pthread_rwlock_rdlock(&lock);
  assert(counter <= 2);
  pthread_rwlock_unlock(&lock);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}
