// A channel of one slot that can be closed: send waits for room, receive waits for an element or the end.
//
// BUG=1: closing wakes only one waiter; the other one waits forever.
// BUG=2: receive tests with `if` instead of `while`.
// BUG=3: receive does not tell senders that there is room again.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock 59
// check: -DBUG=2 sc rf violation assertion 56
// check: -DBUG=3 sc rf violation deadlock 59
#include <assert.h>
#include <stdbool.h>
#include <threads.h>

#ifndef BUG
#define BUG 0
#endif

struct channel {
    mtx_t mutex;
    cnd_t has_element, has_room;
    bool is_full, is_closed;
    int element;
};

static struct channel channel;
static int received[2];

static void send(struct channel *it, int element) {
    mtx_lock(&it->mutex);
    while (it->is_full)
        cnd_wait(&it->has_room, &it->mutex);
    it->element = element;
    it->is_full = true;
    cnd_signal(&it->has_element);
    mtx_unlock(&it->mutex);
}

static void close_channel(struct channel *it) {
    mtx_lock(&it->mutex);
    it->is_closed = true;
    if (BUG == 1)
        cnd_signal(&it->has_element);
    else
        cnd_broadcast(&it->has_element);
    mtx_unlock(&it->mutex);
}

static bool receive(struct channel *it, int *element) {
    mtx_lock(&it->mutex);
    if (BUG == 2) {
        if (!it->is_full && !it->is_closed)
            cnd_wait(&it->has_element, &it->mutex);
        assert(it->is_full || it->is_closed);
    } else {
        while (!it->is_full && !it->is_closed)
            cnd_wait(&it->has_element, &it->mutex);
    }
    bool has_element = it->is_full;
    if (has_element) {
        *element = it->element;
        it->is_full = false;
        if (BUG != 3)
            cnd_signal(&it->has_room);
    }
    mtx_unlock(&it->mutex);
    return has_element;
}

static int consumer(void *sum) {
    int element;
    while (receive(&channel, &element))
        *(int *)sum += element;
    return 0;
}

int main(void) {
    thrd_t consumers[2];
    mtx_init(&channel.mutex, mtx_plain);
    cnd_init(&channel.has_element);
    cnd_init(&channel.has_room);
    for (int i = 0; i < 2; i++)
        thrd_create(&consumers[i], consumer, &received[i]);
    send(&channel, 3);
    send(&channel, 4);
    close_channel(&channel);
    for (int i = 0; i < 2; i++)
        thrd_join(consumers[i], NULL);
    assert(received[0] + received[1] == 7);
    return 0;
}
