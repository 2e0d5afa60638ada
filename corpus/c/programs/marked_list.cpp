// Harris' ordered list: a removed node is marked in the lowest bit of its next pointer first, and unlinked by the first
// thread that meets it.
//
// BUG=1: the new node is linked with a load and a store, so that it may follow a node that has just been removed.
// BUG=2: a node is unlinked without a mark.
//
// check: rc11 rf verified
// check: -O2 rc11 rf verified
// check: -DBUG=1 sc rf violation assertion 96
// check: -DBUG=2 sc rf violation assertion 96
// flags: -std=c++17
#include <atomic>
#include <cassert>
#include <climits>
#include <cstdint>
#include <thread>
#include <utility>

#ifndef BUG
#define BUG 0
#endif

struct node {
    int key;
    std::atomic<std::uintptr_t> next{0};
};

static const std::uintptr_t MARK = 1;
static node last{INT_MAX};
static node first{INT_MIN};

static node *pointer(std::uintptr_t word) { return reinterpret_cast<node *>(word & ~MARK); }
static std::uintptr_t word(node *to) { return reinterpret_cast<std::uintptr_t>(to); }

// The first node whose key is not smaller, and the node before it. Unlinks marked nodes on the way.
static std::pair<node *, node *> search(int key) {
again:
    node *before = &first, *at = pointer(first.next.load(std::memory_order_acquire));
    for (;;) {
        std::uintptr_t next = at->next.load(std::memory_order_acquire);
        if (next & MARK) {
            std::uintptr_t expected = word(at);
            if (!before->next.compare_exchange_strong(expected, next & ~MARK))
                goto again;
            at = pointer(next);
            continue;
        }
        if (at->key >= key)
            return {before, at};
        before = at;
        at = pointer(next);
    }
}

static bool insert(node *added) {
    for (;;) {
        auto [before, at] = search(added->key);
        if (at->key == added->key)
            return false;
        added->next.store(word(at), std::memory_order_relaxed);
        std::uintptr_t expected = word(at);
        if (BUG == 1 && before->next.load() == expected) {
            before->next.store(word(added));
            return true;
        }
        if (BUG != 1 && before->next.compare_exchange_strong(expected, word(added)))
            return true;
    }
}

static bool remove(int key) {
    for (;;) {
        auto [before, at] = search(key);
        if (at->key != key)
            return false;
        std::uintptr_t next = at->next.load(), expected = word(at);
        if (BUG == 2 && before->next.compare_exchange_strong(expected, next))
            return true;
        if (BUG != 2 && !(next & MARK) && at->next.compare_exchange_strong(next, next | MARK))
            return true;
    }
}

static bool contains(int key) { return search(key).second->key == key; }

static node one{1}, two{2}, three{3};

int main() {
    first.next.store(word(&last));
    insert(&two);
    std::thread left([] { assert(insert(&one)); });
    std::thread right([] { assert(insert(&three)); });
    assert(remove(2));
    left.join();
    right.join();
    assert(contains(1) && contains(3) && !contains(2));
}
