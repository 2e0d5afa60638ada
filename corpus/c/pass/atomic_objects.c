// check: rc11 rf verified
// check: sc co verified
//
// Atomics of every kind of type: big structs, floating point, pointers; and the older builtins.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct big { long a, b, c; };
static _Atomic struct big big;
static _Atomic double number;
static _Atomic(char *) pointer;
static char buffer[4];
static int old;

static void *writer(void *unused) {
    struct big ones = {1, 1, 1};
    big = ones;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    struct big seen = big;
    assert(seen.a == seen.b && seen.b == seen.c);
    pthread_join(t, 0);
    number += 1.5;
    pointer = buffer;
    pointer++;
    assert(number == 1.5 && pointer == buffer + 1);
    __sync_fetch_and_add(&old, 3);
    assert(__sync_bool_compare_and_swap(&old, 3, 4) && __sync_lock_test_and_set(&old, 5) == 4);
    __sync_lock_release(&old);
    __sync_synchronize();
    assert(old == 0);
    return 0;
}
