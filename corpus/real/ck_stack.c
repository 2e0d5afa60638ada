// Concurrency Kit's stack with pushes from two threads and a pop of everything.
// package: libck-dev
// check: | verified, 24 executions
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>

struct item {
    int value;
    ck_stack_entry_t entry;
};
CK_STACK_CONTAINER(struct item, entry, item_of)

static ck_stack_t stack = CK_STACK_INITIALIZER;
static struct item items[2];

static void *pusher(void *argument) {
    struct item *item = argument;
    item->value = 1;
    ck_stack_push_upmc(&stack, &item->entry);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, pusher, &items[i]);
    int sum = 0;
    for (ck_stack_entry_t *entry = ck_stack_batch_pop_upmc(&stack); entry; entry = CK_STACK_NEXT(entry))
        sum += item_of(entry)->value;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    for (ck_stack_entry_t *entry = ck_stack_batch_pop_upmc(&stack); entry; entry = CK_STACK_NEXT(entry))
        sum += item_of(entry)->value;
    assert(sum == 2);
}
