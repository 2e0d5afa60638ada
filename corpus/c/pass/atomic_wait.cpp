// check: rc11 rf verified
// check: rc11 co verified
// check: -O2 rc11 rf verified
// check: tso rf verified
// check: pso rf verified
// check: sc co verified
// check: ra rf verified
// check: -DNO_NOTIFY rc11 rf violation deadlock
// check: -DNO_NOTIFY tso co violation deadlock
// check: -DEARLY_NOTIFY rc11 rf violation deadlock
// check: -DRELAXED rc11 rf violation race
// check: -DRELAXED_WAIT rc11 rf violation race
// flags: -std=c++20
//
// Waiting on atomics: the load's order is all that orders, whatever the store's order no notification is lost, and
// without one that comes after the store the thread waits forever.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef RELAXED
static constexpr auto store_order = std::memory_order_relaxed;
#else
static constexpr auto store_order = std::memory_order_release;
#endif
#ifdef RELAXED_WAIT
static constexpr auto load_order = std::memory_order_relaxed;
#else
static constexpr auto load_order = std::memory_order_acquire;
#endif

static std::atomic<short> flag{0};
static int data;
int main() {
    std::thread thread([] {
        data = 1;
#ifdef EARLY_NOTIFY
        flag.notify_all();
        flag.store(1, store_order);
#else
        flag.store(1, store_order);
#ifndef NO_NOTIFY
        flag.notify_all();
#endif
#endif
    });
    flag.wait(0, load_order);
    int seen = data;
#if !defined RELAXED && !defined RELAXED_WAIT
    assert(seen == 1);
#endif
    thread.join();
    return 0;
}
