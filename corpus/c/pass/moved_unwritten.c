// Bytes that were never written may be moved about: between fields, beside bit-fields, in structs that are
// passed, returned and assigned.
//
// check: rc11 rf verified
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct gaps { char tag; int value; };
struct bits { unsigned low : 3, high : 5; unsigned char rest; };
union either { int number; char text[8]; };
struct large { char tag; long values[4]; };

static struct gaps pass(struct gaps gaps) { return gaps; }
static struct large pass_large(struct large large) { return large; }
static union either pass_union(union either either) { return either; }

int main(int argc, char **argv) {
    struct gaps gaps;
    gaps.value = 1;
    struct gaps *heap = malloc(2 * sizeof *heap);
    heap[0] = pass(gaps);
    memmove(heap + 1, heap, sizeof *heap);
    heap = realloc(heap, 3 * sizeof *heap);
    assert(heap[1].value == 1);
    free(heap);

    struct bits bits, *shared = malloc(sizeof *shared);
    bits.low = 2;
    bits.high = 7;
    *shared = bits;
    shared->low = 3;
    assert(bits.low == 2 && shared->low == 3 && shared->high == 7);
    free(shared);

    struct large large;
    large.values[2] = 5;
    large = pass_large(large);
    assert(large.values[2] == 5);

    union either either;
    either.number = 3;
    either = pass_union(either);
    assert(either.number == 3);

    int unused;
    (void)unused;
    return 0;
}
