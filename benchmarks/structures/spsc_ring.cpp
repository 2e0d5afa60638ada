// A ring buffer between one producer and one consumer: each side owns an index and only reads the other's.
//
// BUG=1: the producer publishes its index with a relaxed store.
// BUG=2: the consumer gives a slot back before it has read it.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race
// check: -DBUG=2 rc11 rf violation race 33
// check: -DBUG=2 sc rf violation assertion 68
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <optional>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

template <typename T, std::size_t Size> class spsc_ring {
    std::array<T, Size> slots{};
    alignas(64) std::atomic<std::size_t> head{0}; // Where the consumer reads next.
    alignas(64) std::atomic<std::size_t> tail{0}; // Where the producer writes next.

  public:
    bool push(const T &value) {
        const auto at = tail.load(std::memory_order_relaxed);
        if (at - head.load(std::memory_order_acquire) == Size)
            return false;
        slots[at % Size] = value;
#if BUG == 1
        tail.store(at + 1, std::memory_order_relaxed);
#else
        tail.store(at + 1, std::memory_order_release);
#endif
        return true;
    }

    std::optional<T> pop() {
        const auto at = head.load(std::memory_order_relaxed);
        if (at == tail.load(std::memory_order_acquire))
            return std::nullopt;
#if BUG == 2
        head.store(at + 1, std::memory_order_release);
        return slots[at % Size];
#else
        std::optional<T> value = slots[at % Size];
        head.store(at + 1, std::memory_order_release);
        return value;
#endif
    }
};

int main() {
    constexpr int last = 3;
    spsc_ring<int, 2> ring;
    std::thread producer([&ring] {
        for (int i = 1; i <= last; i++)
            while (!ring.push(i))
                std::this_thread::yield();
    });
    std::thread consumer([&ring] {
        for (int expected = 1; expected <= last;) {
            if (auto value = ring.pop()) {
                assert(*value == expected);
                expected++;
            } else {
                std::this_thread::yield();
            }
        }
    });
    producer.join();
    consumer.join();
}
