// Two threads push to a stack, and one pops.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

_Atomic(struct node *) head;

void *push(void *value) {
  struct node *node = malloc(sizeof *node);
  node->value = (int)(intptr_t)value;
  struct node *now = atomic_load_explicit(&head, memory_order_relaxed);
  do {
    node->next = now;
  } while (!atomic_compare_exchange_strong_explicit(&head, &now, node, memory_order_release, memory_order_relaxed));
  return NULL;
}

int pop(void) {
  struct node *now = atomic_load_explicit(&head, memory_order_acquire);
  for (;;) {
    if (!now)
      return 0;
    if (atomic_compare_exchange_strong_explicit(&head, &now, now->next, memory_order_acquire, memory_order_acquire))
      return now->value;
  }
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, push, (void *)1);
  pthread_create(&second, NULL, push, (void *)2);
  assert(pop() <= 2);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}
