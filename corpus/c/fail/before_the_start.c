// A stack that is popped once too often: the element before the first one is read.
//
// check: rc11 rf violation invalid-access 22
// check: sc rf violation invalid-access 22
#include <pthread.h>
#include <stdlib.h>

typedef struct {
    pthread_mutex_t mutex;
    int *items;
    int n;
} stack_of_ints;

static stack_of_ints stack = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static void *popper(void *unused) {
    pthread_mutex_lock(&stack.mutex);
    // BUG: the stack may be empty.
    stack.n--;
    int *top = &stack.items[stack.n];
    pthread_mutex_unlock(&stack.mutex);
    return (void *)(long)*top;
}

int main(void) {
    stack.items = malloc(2 * sizeof(int));
    stack.items[0] = 1;
    stack.n = 1;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, popper, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(stack.items);
    return 0;
}
