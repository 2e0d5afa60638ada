// A sorted list with a mutex in every node; a thread that walks it takes the next mutex before it releases the last one.
//
// BUG=1: the last mutex is released first, and the node behind it may be freed in between.
// BUG=2: the removed node is freed while its mutex is held.
// BUG=3: the removed node is unlinked without its own mutex.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation use-after-free 64
// check: -DBUG=2 sc rf violation lock-misuse 63
// check: -DBUG=3 sc rf violation lock-misuse 63
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif

struct node {
    pthread_mutex_t mutex;
    int key;
    struct node *next;
};

static struct node head = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct node *make(int key, struct node *next) {
    struct node *made = malloc(sizeof *made);
    pthread_mutex_init(&made->mutex, NULL);
    made->key = key;
    made->next = next;
    return made;
}

static int contains(int key) {
    struct node *node = &head;
    pthread_mutex_lock(&node->mutex);
    while (node->next && node->key < key) {
        struct node *next = node->next;
        if (BUG == 1)
            pthread_mutex_unlock(&node->mutex);
        pthread_mutex_lock(&next->mutex);
        if (BUG != 1)
            pthread_mutex_unlock(&node->mutex);
        node = next;
    }
    int found = node->key == key;
    pthread_mutex_unlock(&node->mutex);
    return found;
}

static void remove_first(void) {
    pthread_mutex_lock(&head.mutex);
    struct node *first = head.next;
    if (BUG != 3)
        pthread_mutex_lock(&first->mutex);
    head.next = first->next;
    pthread_mutex_unlock(&head.mutex);
    if (BUG != 3 && BUG != 2)
        pthread_mutex_unlock(&first->mutex);
    pthread_mutex_destroy(&first->mutex);
    free(first);
}

static void *looker(void *unused) {
    assert(contains(20));
    return unused;
}

static void *remover(void *unused) {
    remove_first();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    head.next = make(10, make(20, NULL));
    pthread_create(&threads[0], NULL, looker, NULL);
    pthread_create(&threads[1], NULL, remover, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    free(head.next);
    return 0;
}
