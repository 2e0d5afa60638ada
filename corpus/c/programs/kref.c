// A reference count as kernels have it: a table holds one reference to each object; a lookup takes another one unless
// the count has already dropped to zero, and the thread that drops the last reference frees the object.
//
// BUG=1: a lookup increments whatever it finds, and revives an object that is being freed.
// BUG=2: dropping a reference is a relaxed decrement: the last use of the object need not come before its end.
// BUG=3: a failing lookup drops the reference that it never had.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 59
// check: -DBUG=1 rc11 rf violation race 51
// check: -DBUG=2 rc11 rf violation race 51
// check: -DBUG=2 tso rf verified
// check: -DBUG=3 sc rf violation assertion 47
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif

struct session {
    atomic_int references;
    int user;
    bool is_open;
};

// The memory stays, so that a late lookup reads a count of zero; kernels call this type-safe memory.
static struct session session;

static bool get_unless_zero(struct session *it) {
    int seen = atomic_load_explicit(&it->references, memory_order_relaxed);
    do {
        if (seen == 0 && BUG != 1)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&it->references, &seen, seen + 1, memory_order_acquire,
                                                    memory_order_relaxed));
    return true;
}

static void put(struct session *it) {
    int before = atomic_fetch_sub_explicit(&it->references, 1, BUG == 2 ? memory_order_relaxed : memory_order_release);
    assert(before > 0);
    if (before == 1) {
        if (BUG != 2)
            atomic_thread_fence(memory_order_acquire);
        it->user = 0;
        it->is_open = false;
    }
}

static void *request(void *unused) {
    if (get_unless_zero(&session)) {
        assert(session.is_open);
        assert(session.user == 42);
        put(&session);
    } else if (BUG == 3) {
        put(&session);
    }
    return unused;
}

static void *logout(void *unused) {
    put(&session);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    session.user = 42;
    session.is_open = true;
    atomic_init(&session.references, 1);
    pthread_create(&threads[0], NULL, request, NULL);
    pthread_create(&threads[1], NULL, request, NULL);
    pthread_create(&threads[2], NULL, logout, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(!session.is_open && atomic_load(&session.references) == 0);
    return 0;
}
