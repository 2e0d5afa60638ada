// Indices so far outside that they hit another object: of variables whatever the distance, on the heap within the
// space that is left between objects.
//
// check: rc11 rf violation invalid-access 23
// check: -DGLOBAL rc11 rf violation invalid-access 25
// check: -DELEMENT rc11 rf violation invalid-access 27
// check: -DHEAP rc11 rf violation invalid-access 30
// check: -DATOMIC rc11 rf violation invalid-access 32
#include <stdatomic.h>
#include <stdlib.h>

struct pair { int first, second; };
static int numbers[10], others[1 << 20];
static struct pair pairs[4], more[1 << 20];
static atomic_int counters[2], rest[1 << 20];

int main(int argc, char **argv) {
    int here[10], there[4000] = {0};
    int far = 300 * argc, *heap = malloc(40), *next = malloc(1 << 20);
    (void)argv;
    here[0] = 1;
#if !defined GLOBAL && !defined ELEMENT && !defined HEAP && !defined ATOMIC
    here[-far] = here[far] = there[far];
#elif defined GLOBAL
    numbers[((char *)others - (char *)numbers) / 4 + far] = 1;
#elif defined ELEMENT
    pairs[((char *)more - (char *)pairs) / 8 + far].second = 1;
#elif defined HEAP
    next[0] = 1;
    heap[1000 * far] = 1;
#else
    atomic_fetch_add(&counters[((char *)rest - (char *)counters) / 4 + far], 1);
#endif
    free(heap);
    free(next);
    return others[0] + more[0].first + rest[0];
}
