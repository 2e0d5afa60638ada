// A queue for one producer and one consumer. Each keeps the other one's index in a field, and stores the same value there
// again and again while it waits.
//
// BUG=1: the producer publishes its item with a relaxed store.
//
// check: rc11 rf verified
// check: rc11 co verified
// check: tso rf verified
// check: -O2 rc11 rf verified
// check: -DBUG=1 rc11 rf violation race 48
#include <atomic>
#include <cassert>
#include <cstddef>
#include <memory>
#include <thread>

template <class T, std::size_t N> class Queue {
    alignas(64) std::atomic<std::size_t> head{0};
    std::size_t tail_seen = 0;
    alignas(64) std::atomic<std::size_t> tail{0};
    std::size_t head_seen = 0;
    T items[N];

  public:
    bool try_push(T &item) {
        std::size_t at = tail.load(std::memory_order_relaxed);
        if (at - head_seen == N) {
            head_seen = head.load(std::memory_order_acquire);
            if (at - head_seen == N)
                return false;
        }
        items[at % N] = std::move(item);
#ifdef BUG
        tail.store(at + 1, std::memory_order_relaxed);
#else
        tail.store(at + 1, std::memory_order_release);
#endif
        return true;
    }

    bool try_pop(T &item) {
        std::size_t at = head.load(std::memory_order_relaxed);
        if (at == tail_seen) {
            tail_seen = tail.load(std::memory_order_acquire);
            if (at == tail_seen)
                return false;
        }
        item = std::move(items[at % N]);
        head.store(at + 1, std::memory_order_release);
        return true;
    }
};

int main() {
    auto queue = std::make_unique<Queue<std::unique_ptr<int>, 1>>();
    std::thread producer([&] {
        for (int i = 1; i <= 2; i++) {
            auto item = std::make_unique<int>(i);
            while (!queue->try_push(item))
                ;
        }
    });
    for (int i = 1; i <= 2; i++) {
        std::unique_ptr<int> item;
        while (!queue->try_pop(item))
            ;
        assert(*item == i);
    }
    producer.join();
}
