// A fence in a program whose heap object is written as a whole and read field by field.
//
// check: rc11 rf verified
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pair {
    int left, right;
};

int main(void) {
    struct pair *pair = malloc(sizeof *pair);
    *pair = (struct pair){.left = 1, .right = 2};
    atomic_thread_fence(memory_order_seq_cst);
    assert(pair->left == 1 && pair->right == 2);
    free(pair);
    return 0;
}
