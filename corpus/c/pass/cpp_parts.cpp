// A flag and a counter that share an atomic word in C++, beside the word as a whole.
//
// options: --mixed-sizes merge
// check: sc co verified
// check: tso co verified
// check: rc11 rf verified
// check: -DRACE rc11 rf violation race
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

union State {
    std::atomic<uint32_t> whole;
    struct {
        std::atomic<uint16_t> count;
        std::atomic<uint8_t> ready;
        uint8_t plain;
    };
    State() : whole(0) {}
};

static State state;
static int data;

int main() {
    std::thread writer([] {
        data = 42;
        state.ready.store(1, std::memory_order_release);
    });
    std::thread counter([] {
        state.count.fetch_add(3, std::memory_order_relaxed);
#ifdef RACE
        state.plain = 7;
#endif
    });
    if (state.ready.load(std::memory_order_acquire))
        assert(data == 42);
    // The flag comes through whatever is merged with it.
    if (state.whole.load(std::memory_order_acquire) & 0x10000)
        assert(data == 42);
    writer.join();
    counter.join();
#ifdef RACE
    assert(state.whole.load() == 0x07010003);
#else
    state.plain = 1;
    assert(state.whole.load() == 0x01010003);
#endif
}
