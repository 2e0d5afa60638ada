// The same bytes as a whole and in parts: unions, characters of a number, a copy over atomic words, bit-fields in
// storage units of their own.
//
// check: rc11 rf executions 1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static union { int whole; char parts[4]; } number;
static struct { _Atomic int low, high; } words;
static struct { unsigned a : 3; unsigned : 0; unsigned b : 8; char c; } fields;

static void *other(void *unused) {
    atomic_store(&words.low, 1);
    atomic_store(&words.high, 2);
    fields.b = 7;
    fields.c = 3;
    ((char *)&number)[2] = 5;
    return NULL;
}

int main(void) {
    number.whole = 0x01020304;
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    number.parts[0] = 9;
    fields.a = 1;
    pthread_join(thread, NULL);
    long both;
    memcpy(&both, (void *)&words, sizeof both);
    assert(both == 0x200000001);
    assert(number.whole == 0x01050309);
    assert(fields.a == 1 && fields.b == 7 && fields.c == 3);
    return 0;
}
