// check: rc11 rf verified
// check: -fdiscard-value-names rc11 rf verified
// check: sc co verified
// To copy what was never written is no use of it: element by element, byte by byte, by way of variables, in structs,
// in unions, on the heap, from one thread to another.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct gaps { char tag; int value; };
struct pair { int first, second; };
union either { int number; long wide; char bytes[8]; };
struct pair *published;
int table[4];

static void copy(void *to, const void *from, unsigned n) {
    char *t = to;
    const char *f = from;
    while (n--) *t++ = *f++;
}
static void swap(int *a, int *b) {
    int kept = *a;
    *a = *b;
    *b = kept;
}
static int first_of(struct pair pair) { return pair.first; }

static void *thread(void *unused) {
    struct pair mine, *heap = malloc(sizeof *heap);
    mine.second = published->second;
    mine.first = published->first;
    heap->second = mine.second;
    heap->first = mine.first;
    assert(heap->first == 1 && first_of(*heap) == 1);
    free(heap);
    return unused;
}

int main(void) {
    int part[4], other[4];
    part[0] = 7;
    for (int i = 0; i < 4; i++) table[i] = part[i];
    for (int i = 0; i < 4; i++) {
        int between = part[i], again = between;
        if (i < 9) other[i] = again; else other[0] = between;
    }
    assert(table[0] == 7 && other[0] == 7);
    swap(&other[0], &other[3]);
    assert(other[3] == 7);

    struct gaps gaps, copied, *heap = malloc(2 * sizeof *heap);
    gaps.value = 3;
    copy(&copied, &gaps, sizeof gaps);
    copy(&heap[1], &copied, sizeof copied);
    heap[0].tag = heap[1].tag;
    assert(heap[1].value == 3);
    free(heap);

    union either one, two, many[3], more[3];
    one.number = 4;
    two.wide = one.wide;
    two.bytes[7] = one.bytes[7];
    assert(two.number == 4);
    many[1].number = 1;
    for (int i = 0; i < 3; i++) more[i].wide = many[i].wide;
    assert(more[1].number == 1);

    published = malloc(sizeof *published);
    published->first = 1;
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    free(published);
}
