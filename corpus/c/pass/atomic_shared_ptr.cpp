// check: rc11 rf verified
// check: tso rf verified
// check: sc co verified
// check: -DCAS rc11 rf verified
// check: -DWAIT rc11 rf verified
// check: -DWEAK rc11 rf verified
// check: -DFREE rc11 rf verified
// check: -DNO_NOTIFY rc11 rf violation deadlock
// check: -DRACE rc11 rf violation race
// check: -DLOST rc11 rf violation assertion
// flags: -std=c++20
//
// std::atomic of shared and weak pointers, and atomic functions on plain shared pointers.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> shared;
static std::shared_ptr<int> plain;

static void add() {
    auto old = shared.load();
#ifdef LOST
    shared.store(std::make_shared<int>(*old + 1));
#else
    auto next = std::make_shared<int>(*old + 1);
    while (!shared.compare_exchange_strong(old, next))
        next = std::make_shared<int>(*old + 1);
#endif
}
int main() {
#if defined CAS || defined LOST
    shared = std::make_shared<int>(0);
    std::thread first(add), second(add);
    first.join();
    second.join();
    assert(*shared.load() == 2);
#elif defined WAIT || defined NO_NOTIFY
    std::thread thread([] {
        shared.store(std::make_shared<int>(1), std::memory_order_release);
#ifdef WAIT
        shared.notify_one();
#endif
    });
    shared.wait(nullptr, std::memory_order_acquire);
    assert(*shared.load() == 1);
    thread.join();
#elif defined WEAK
    auto strong = std::make_shared<int>(7);
    std::atomic<std::weak_ptr<int>> weak;
    std::thread thread([&] { weak.store(strong); });
    auto seen = weak.load().lock();
    assert(!seen || *seen == 7);
    thread.join();
    assert(weak.load().lock() == strong);
#elif defined FREE
    plain = std::make_shared<int>(1);
    std::thread thread([] { std::atomic_store(&plain, std::make_shared<int>(2)); });
    auto seen = std::atomic_load(&plain);
    assert(*seen == 1 || *seen == 2);
    thread.join();
#else
    std::thread thread([] { shared.store(std::make_shared<int>(5)); });
    if (auto seen = shared.load())
#ifdef RACE
        *seen = 6;
    if (auto seen = shared.load())
        (void)*seen;
    auto second = shared.load();
    std::thread other([] { if (auto seen = shared.load()) *seen = 7; });
    if (second)
        *second = 8;
    other.join();
#else
        assert(*seen == 5);
#endif
    thread.join();
    assert(*shared.load() >= 5);
#endif
    return 0;
}
