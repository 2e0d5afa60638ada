// Three threads add to a counter behind a mutex.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter;

void *add(void *arg) {
  pthread_mutex_lock(&mutex);
  counter++;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, add, NULL);
  pthread_create(&second, NULL, add, NULL);
  add(NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  pthread_mutex_lock(&mutex);
  assert(counter == 3);
  pthread_mutex_unlock(&mutex);
}
