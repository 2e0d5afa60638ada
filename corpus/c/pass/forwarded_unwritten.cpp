// Functions that return what another one returns: an optional without a value, whose parts were never written.
// check: -std=c++17 rc11 rf verified
// check: -std=c++17 -O1 rc11 rf verified
// check: -std=c++17 -O2 rc11 co verified
// check: -std=c++17 -O1 -DUSED rc11 rf violation uninitialised
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

static std::atomic<int> count;
static int item;

struct number {
    int low;
    short high;
};

template <class T>
static std::optional<T> take(T value) {
    if (count.load(std::memory_order_acquire) == 0)
        return {};
    return value;
}
template <class T>
static std::optional<T> forwarded(T value) {
    return take(value);
}
template <class T>
static std::optional<T> forwarded_again(T value) {
    std::optional<T> first = forwarded(value);
    std::optional<T> second = first;
    return second;
}

int main() {
    std::thread other([] {
        item = 1;
        count.store(1, std::memory_order_release);
    });
    std::optional<int> last = forwarded_again(3);
    if (auto value = forwarded(2))
        assert(item == 1 && *value == 2);
    if (auto value = forwarded_again<char>('c'))
        assert(item == 1 && *value == 'c');
    if (auto value = forwarded_again(2.5f))
        assert(*value == 2.5f);
    if (auto value = forwarded_again(number{1, 2}))
        assert(value->low == 1 && value->high == 2);
#ifdef USED
    assert(*last == 3);
#else
    assert(!last || *last == 3);
#endif
    other.join();
    return 0;
}
