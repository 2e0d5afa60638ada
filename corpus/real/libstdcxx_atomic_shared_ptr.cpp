// libstdc++ 12's atomic<shared_ptr>: load() unlocks with a relaxed operation, so that a later store() may overtake it.
// package: libstdc++-12-dev
// check: --library as-written -- -std=c++20 | race
// changed: $libstdc++-12-dev/usr/include/c++/12/bits/shared_ptr_atomic.h | _M_refcount.unlock(memory_order_relaxed);\n\treturn __ret; | _M_refcount.unlock(memory_order_release); return __ret; | --library as-written -- -std=c++20 | verified, 8 executions
// flags: -nostdinc++ -isystem $libstdc++-12-dev/usr/include/c++/12 -isystem $libstdc++-12-dev/usr/include/x86_64-linux-gnu/c++/12
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

int main() {
    std::atomic<std::shared_ptr<int>> shared(std::make_shared<int>(1));
    std::thread writer([&] { shared.store(std::make_shared<int>(2)); });
    std::shared_ptr<int> seen = shared.load();
    assert(*seen == 1 || *seen == 2);
    writer.join();
}
