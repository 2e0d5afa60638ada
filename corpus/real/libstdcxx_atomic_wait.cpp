// libstdc++ 12's atomic::wait: a thread waits for a value that another thread stores and announces.
// package: libstdc++-12-dev
// flags: -nostdinc++ -isystem $libstdc++-12-dev/usr/include/c++/12 -isystem $libstdc++-12-dev/usr/include/x86_64-linux-gnu/c++/12
// check: --library as-written -- -std=c++20 | deadlock
// check: --library as-written --model tso -- -std=c++20 | deadlock
// changed: $libstdc++-12-dev/usr/include/c++/12/bits/atomic_wait.h | if (!(__bare || _M_waiting())) | __atomic_thread_fence(__ATOMIC_SEQ_CST); if (!(__bare || _M_waiting())) | --library as-written --model tso -- -std=c++20 | verified, 37 executions
#include <atomic>
#include <cassert>
#include <thread>

int main() {
    static std::atomic<int> flag;
    std::thread waiter([] { flag.wait(0, std::memory_order_acquire); });
    flag.store(1, std::memory_order_release);
    flag.notify_one();
    waiter.join();
}
