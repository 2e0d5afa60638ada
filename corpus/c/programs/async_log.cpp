// A log that several threads write into: a place is reserved by an increment, filled, and committed by a flag of its own;
// the reader stops at the first place that is not committed.
//
// BUG=1: the flag is set by a relaxed store.
// BUG=2: the place is reserved by a load and a store.
// BUG=3: the reader trusts the number of reserved places instead of the flags.
//
// check: rc11 rf verified
// check: -DBUG=1 rc11 rf violation race 62
// check: -DBUG=2 sc rf violation assertion 66
// check: -DBUG=3 sc rf violation assertion 62
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

struct Record {
    int thread, value;
    std::atomic<bool> is_committed{false};
};

class Log {
  public:
    void append(int thread, int value) {
        std::size_t place;
        if (BUG == 2) {
            place = next_.load(std::memory_order_relaxed);
            next_.store(place + 1, std::memory_order_relaxed);
        } else {
            place = next_.fetch_add(1, std::memory_order_relaxed);
        }
        Record &record = records_.at(place);
        record.thread = thread;
        record.value = value;
        record.is_committed.store(true, BUG == 1 ? std::memory_order_relaxed : std::memory_order_release);
    }

    template <typename F> std::size_t each(F look) const {
        std::size_t seen = 0, reserved = next_.load(std::memory_order_acquire);
        for (const Record &record : records_) {
            if (BUG == 3 ? seen == reserved : !record.is_committed.load(std::memory_order_acquire))
                break;
            look(record);
            ++seen;
        }
        return seen;
    }

  private:
    std::array<Record, 4> records_{};
    std::atomic<std::size_t> next_{0};
};

int main() {
    Log log;
    std::thread first([&] { log.append(1, 10); });
    std::thread second([&] { log.append(2, 20); });
    std::thread reader([&] { log.each([](const Record &record) { assert(record.value == 10 * record.thread); }); });
    first.join();
    second.join();
    reader.join();
    assert(log.each([](const Record &) {}) == 2);
}
