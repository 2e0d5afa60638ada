// A shared object behind a pointer, protected by a hazard pointer: its replacement is freed when no reader announces it.
//
// BUG=1: the announcement is not ordered before the second look at the pointer.
// BUG=2: there is no second look.
//
// check: rc11 rf verified
// check: -O1 rc11 rf verified
// check: -DBUG=1 rc11 rf violation use-after-free
// check: -DBUG=1 tso rf violation use-after-free
// check: -DBUG=2 sc rf violation use-after-free
// options: --leaks
#include <atomic>
#include <cassert>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

struct settings {
    int value;
};

static std::atomic<settings *> current;
static std::atomic<settings *> hazard;

static int read() {
    settings *seen;
    do {
        seen = current.load(std::memory_order_relaxed);
        hazard.store(seen, BUG == 1 ? std::memory_order_release : std::memory_order_seq_cst);
    } while (BUG != 2 && seen != current.load(std::memory_order_seq_cst));
    int value = seen->value;
    hazard.store(nullptr, std::memory_order_release);
    return value;
}

static void replace(int value) {
    settings *old = current.exchange(new settings{value}, std::memory_order_seq_cst);
    if (!old)
        return;
    while (hazard.load(std::memory_order_seq_cst) == old)
        std::this_thread::yield();
    delete old;
}

int main() {
    replace(1);
    std::thread reader([] {
        int value = read();
        assert(value == 1 || value == 2);
    });
    replace(2);
    reader.join();
    delete current.load();
}
