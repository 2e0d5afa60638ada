// The element behind the last one is written, in a program whose heap knows the sizes of objects.
//
// check: rc11 rf violation invalid-access 13
#include <pthread.h>
#include <stdlib.h>

struct list {
    int n_items, *items;
};

static void *append(void *argument) {
    struct list *list = argument;
    list->items[list->n_items++] = 7; // There is room for three.
    return NULL;
}

int main(void) {
    struct list list = {0, malloc(2 * sizeof(int))};
    list.items = realloc(list.items, 3 * sizeof(int));
    list.items[0] = list.items[1] = list.items[2] = 0;
    list.n_items = 3;
    pthread_t thread;
    pthread_create(&thread, NULL, append, &list);
    pthread_join(thread, NULL);
    free(list.items);
}
