// A bounded buffer with a mutex and two condition variables.
//
// BUG=1: one condition variable for both conditions, and only one waiter is woken: it may be the wrong one.
// BUG=2: the waiting consumer looks only once: what it was woken for may be gone when it gets the mutex.
// BUG=3: the producer notifies before it changes the buffer, without the mutex: the wake-up is lost.
//
// check: rc11 rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock
// check: -DBUG=2 sc rf violation assertion 51
// check: -DBUG=3 sc rf violation deadlock
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#ifndef BUG
#define BUG 0
#endif

class bounded_buffer {
    std::mutex mutex;
    std::condition_variable not_empty, not_full;
    int slots[1];
    std::size_t used = 0;

    std::condition_variable &empty_slot() { return BUG == 1 ? not_empty : not_full; }

  public:
    void put(int value) {
#if BUG == 3
        not_empty.notify_one();
#endif
        std::unique_lock<std::mutex> lock(mutex);
        empty_slot().wait(lock, [this] { return used < 1; });
        slots[used++] = value;
#if BUG != 3
        not_empty.notify_one();
#endif
    }

    int take() {
        std::unique_lock<std::mutex> lock(mutex);
#if BUG == 2
        if (used == 0)
            not_empty.wait(lock);
#else
        not_empty.wait(lock, [this] { return used > 0; });
#endif
        assert(used > 0);
        int value = slots[--used];
        empty_slot().notify_one();
        return value;
    }
};

int main() {
    bounded_buffer buffer;
    std::vector<std::thread> threads;
    threads.emplace_back([&buffer] { buffer.put(1); });
    threads.emplace_back([&buffer] { buffer.put(2); });
    int first = 0, second = 0;
    threads.emplace_back([&buffer, &first] { first = buffer.take(); });
    threads.emplace_back([&buffer, &second] { second = buffer.take(); });
    for (std::thread &thread : threads)
        thread.join();
    assert(first + second == 3);
}
