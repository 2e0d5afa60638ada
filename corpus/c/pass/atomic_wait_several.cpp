// check: -DONE rc11 rf violation deadlock
// check: -DONE sc co violation deadlock
// check: -DONE tso co violation deadlock
// check: -DTWO rc11 rf verified
// check: -DTWO sc co verified
// check: rc11 rf verified
// check: -DLATE -DONE rc11 rf verified
// check: -DLATE -DONE sc co verified
// flags: -std=c++20
//
// notify_one wakes one thread of several that wait on an object, notify_all wakes all. A thread that begins to wait
// after the store takes no other thread's notification away.
#include <atomic>
#include <thread>

static std::atomic_flag flag;
static std::atomic<int> stored;

static void waits() { flag.wait(false); }
static void waits_late() {
    stored.wait(0);
    flag.wait(false);
}
int main() {
    std::thread first(waits);
#ifdef LATE
    std::thread second(waits_late);
#else
    std::thread second(waits);
#endif
    flag.test_and_set(std::memory_order_relaxed);
#if defined ONE
    flag.notify_one();
#elif defined TWO
    flag.notify_one();
    flag.notify_one();
#else
    flag.notify_all();
#endif
    stored = 1;
    stored.notify_all();
    first.join();
    second.join();
    return 0;
}
