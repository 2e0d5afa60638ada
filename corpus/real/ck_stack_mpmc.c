// Concurrency Kit's stack that counts its changes: push and pop from two threads with a compare-and-swap of 16 bytes.
// package: libck-dev
// check: --mixed-sizes merge | verified, 72 executions
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>

static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entries[2];

static void *worker(void *entry) {
    ck_stack_push_mpmc(&stack, entry);
    return ck_stack_pop_mpmc(&stack);
}

int main(void) {
    pthread_t threads[2];
    void *popped[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, &entries[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &popped[i]);
    assert(popped[0] && popped[1] && popped[0] != popped[1]);
    assert(CK_STACK_ISEMPTY(&stack));
}
