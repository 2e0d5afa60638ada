// Moving elements of a vector that were never written is no use of them, and an element is used alone.
//
// check: rc11 rf verified
// check: -O1 rc11 rf verified
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef int v4 __attribute__((vector_size(16)));
typedef short v8 __attribute__((vector_size(16)));
typedef int v3 __attribute__((ext_vector_type(3)));

static v4 one(int i, int x) {
    v4 u;
    u[i] = x;
    v4 copy = u;
    assert(copy[i] == x);
    return (v4){copy[i], copy[i], copy[i], copy[i]};
}

int main(void) {
    v4 u, w;
    u[0] = 1;
    u[3] = 4;
    assert(u[0] == 1 && u[3] == 4);
    w = __builtin_shufflevector(u, u, 3, 1, 4, -1);
    assert(w[0] == 4 && w[2] == 1);
    v8 s = (v8)u;
    assert(s[0] == 1 && s[6] == 4);
    v3 t;
    t.y = 5;
    t.z = t.y + 1;
    assert(t.z == 6);
    v4 *heap = malloc(2 * sizeof *heap);
    if (!heap) return 0;
    (*heap)[2] = 3;
    heap[1] = *heap;
    assert(heap[1][2] == 3);
    free(heap);
    for (int i = 0; i < 4; i++) w[i] = i;
    v4 sum = w + one(2, 7);
    assert(sum[0] == 7 && sum[3] == 10);
}
