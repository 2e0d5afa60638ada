// A struct with a gap between its fields is copied out of the heap.
//
// check: rc11 rf executions 1
#include <assert.h>
#include <stdlib.h>

struct node { char kind; long value; struct node *next; };

static struct node take(struct node *node) { return *node; }

int main(void) {
    struct node *node = malloc(sizeof *node);
    node->kind = 'a';
    node->value = 5;
    struct node copy = take(node);
    assert(copy.kind == 'a' && copy.value == 5);
    free(node);
    return 0;
}
