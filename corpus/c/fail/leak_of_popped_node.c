// A thread that takes a node out of the shared list has to free it. Coherence is not tracked here: that the list is
// empty at the end follows from the locks.
//
// check: rc11 rf violation leak 14
// options: --leaks
#include <pthread.h>
#include <stdlib.h>

struct node { struct node *next; int value; };
static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *pusher(void *unused) {
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    pthread_mutex_lock(&lock);
    node->next = head;
    head = node;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, pusher, NULL);
    pthread_mutex_lock(&lock);
    if (head)
        head = head->next;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
