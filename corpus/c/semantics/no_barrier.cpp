// Store buffering in C++ with something between store and load that is no barrier (a future that is not ready, a
// condition variable that no thread waits for, initialisation that is over), or that is one.
// expect: tso,pso -- -std=c++20 -DFUTURE => violation assertion
// expect: tso,pso -- -std=c++20 -DNOTIFY => violation assertion
// expect: tso,pso -- -std=c++20 -DSTATIC => violation assertion
// expect: tso,pso -- -std=c++20 -DPRIVATE => verified
// expect: sc -- -std=c++20 -DFUTURE => verified
// expect: ra,rc11 -- -std=c++20 -DPRIVATE => violation assertion
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <future>
#include <thread>
static std::atomic<int> x, y;
static int a, b;
static std::promise<int> promises[2];
static std::future<int> futures[2];
static std::condition_variable condition;
static int &counter() {
    static int value = 0;
    return value;
}
static void between(int n) {
    (void)n;
#if defined FUTURE
    futures[n].wait_for(std::chrono::seconds(0));
#elif defined NOTIFY
    condition.notify_one();
#elif defined STATIC
    (void)&counter();
#else
    std::atomic<int> own{0};
    own.exchange(1, std::memory_order_relaxed);
#endif
}
int main() {
    (void)counter();
#ifdef FUTURE
    for (int n = 0; n < 2; n++) futures[n] = promises[n].get_future();
#endif
    std::thread s([] {
        x.store(1, std::memory_order_relaxed);
        between(0);
        a = y.load(std::memory_order_relaxed);
    });
    std::thread t([] {
        y.store(1, std::memory_order_relaxed);
        between(1);
        b = x.load(std::memory_order_relaxed);
    });
    s.join();
    t.join();
    assert(a || b);
}
