// A loop that waits for a function to return something: an empty optional has parts that were never written. The
// function is called by its name, and through a pointer.
//
// check: -std=c++17 sc rf executions 1
// check: -std=c++17 rc11 rf executions 1
// check: -std=c++17 -DPOINTER rc11 rf executions 1
// check: -std=c++17 -DPOINTER rc11 co executions 1
#include <atomic>
#include <optional>
#include <thread>

std::atomic<int> ready{0};

std::optional<int> take() {
    if (!ready.load(std::memory_order_acquire))
        return std::nullopt;
    return 1;
}

int main() {
    std::thread waiter([] {
#ifdef POINTER
        std::optional<int> (*volatile function)() = take;
#else
        constexpr auto function = take;
#endif
        while (true) {
            if (auto value = function())
                break;
            std::this_thread::yield();
        }
    });
    ready.store(1, std::memory_order_release);
    waiter.join();
}
