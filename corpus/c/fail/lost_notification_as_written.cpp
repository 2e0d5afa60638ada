// check: rc11 rf violation deadlock
// check: -DATOMIC tso rf violation deadlock
// options: --library as-written
// flags: -std=c++20
//
// What libstdc++ 12 does: the notifier looks for waiting threads with a load, which a release store before it does
// not order. The load may come first, and a thread that begins to wait meanwhile is never woken.
#include <atomic>
#include <latch>
#include <thread>

int main() {
#ifdef ATOMIC
    std::atomic<int> flag{0};
    std::thread thread([&] {
        flag.store(1, std::memory_order_release);
        flag.notify_one();
    });
    flag.wait(0);
#else
    std::latch latch(1);
    std::thread thread([&] { latch.count_down(); });
    latch.wait();
#endif
    thread.join();
    return 0;
}
