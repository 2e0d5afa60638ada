// An optimised function returns an optional without a value: its parts are loaded one by one, and one is not written.
// check: -std=c++17 -O1 rc11 rf verified
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

static std::atomic<int> flag;
static int item;

static std::optional<int *> take() {
    std::optional<int *> result;
    if (flag.load(std::memory_order_acquire))
        result = &item;
    return result;
}

int main() {
    std::thread other([] {
        item = 1;
        flag.store(1, std::memory_order_release);
    });
    for (int i = 0; i < 2; i++)
        if (auto taken = take())
            assert(**taken == 1);
    other.join();
}
