// Messages of different lengths through a ring of bytes, with their length in front, between one sender and one
// receiver; what does not fit before the end goes on at the beginning.
//
// BUG=1: the sender moves its index in two steps, one for the length and one for the rest.
// BUG=2: the free room is counted two too large.
// BUG=3: the receiver moves its index before it has copied the message.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 83
// check: -DBUG=2 sc rf violation assertion 83
// check: -DBUG=2 rc11 rf violation race 33
// check: -DBUG=3 sc rf violation assertion 83
// check: -DBUG=3 rc11 rf violation race 33
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif
#define SIZE 8u

static unsigned char ring[SIZE];
static atomic_uint head, tail;

static void copy_in(unsigned at, const unsigned char *from, unsigned length) {
    unsigned first = SIZE - at % SIZE < length ? SIZE - at % SIZE : length;
    memcpy(&ring[at % SIZE], from, first);
    memcpy(ring, from + first, length - first);
}

static void copy_out(unsigned at, unsigned char *to, unsigned length) {
    unsigned first = SIZE - at % SIZE < length ? SIZE - at % SIZE : length;
    memcpy(to, &ring[at % SIZE], first);
    memcpy(to + first, ring, length - first);
}

static bool send(const char *text) {
    unsigned char length = strlen(text);
    unsigned end = atomic_load_explicit(&tail, memory_order_relaxed);
    unsigned used = end - atomic_load_explicit(&head, memory_order_acquire);
    if (SIZE + 2 * (BUG == 2) - used < 1u + length)
        return false;
    copy_in(end, &length, 1);
    if (BUG == 1)
        atomic_store_explicit(&tail, end + 1, memory_order_release);
    copy_in(end + 1, (const unsigned char *)text, length);
    atomic_store_explicit(&tail, end + 1 + length, memory_order_release);
    return true;
}

static bool receive(char *text) {
    unsigned char length;
    unsigned begin = atomic_load_explicit(&head, memory_order_relaxed);
    if (atomic_load_explicit(&tail, memory_order_acquire) == begin)
        return false;
    copy_out(begin, &length, 1);
    if (BUG == 3)
        atomic_store_explicit(&head, begin + 1 + length, memory_order_release);
    copy_out(begin + 1, (unsigned char *)text, length);
    text[length] = 0;
    if (BUG != 3)
        atomic_store_explicit(&head, begin + 1 + length, memory_order_release);
    return true;
}

static void *sender(void *unused) {
    send("red");
    send("green");
    return unused;
}

int main(void) {
    pthread_t thread;
    char text[SIZE];
    pthread_create(&thread, NULL, sender, NULL);
    for (int i = 0; i < 2; i++)
        if (receive(text))
            assert(strcmp(text, "red") == 0 || strcmp(text, "green") == 0);
    pthread_join(thread, NULL);
    return 0;
}
