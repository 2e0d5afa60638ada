// check: rc11 rf executions 4
// check: -O2 rc11 rf executions 4
// check: -mcx16 rc11 rf executions 4
// check: tso rf executions 4
// check: sc rf executions 4
// check: -mcx16 pso rf executions 4
// check: ra rf executions 4
// check: -mcx16 sra rf executions 4
// check: -DSMALL rc11 rf executions 4
// check: -DWEAK rc11 rf violation race
// flags: -std=c++20
//
// Atomic objects of 16 bytes, for which there is an instruction: a pointer with a counter, changed by compare-and-swap
// and exchange.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef SMALL
struct Tagged {
    int tag;
};
#else
struct alignas(16) Tagged {
    long tag;
    int *pointer;
};
#endif
#ifdef WEAK
static constexpr auto order = std::memory_order_relaxed;
#else
static constexpr auto order = std::memory_order_acq_rel;
#endif

static std::atomic<Tagged> object;
static int data[2];

static void push(int nth) {
    data[nth] = 1;
    Tagged old = object.load(std::memory_order_relaxed), next;
    do {
        next = old;
        next.tag++;
#ifndef SMALL
        next.pointer = &data[nth];
#endif
    } while (!object.compare_exchange_strong(old, next, order, std::memory_order_relaxed));
    if (next.tag == 2)
        data[1 - nth]++;
}
int main() {
    std::thread first(push, 0), second(push, 1);
    first.join();
    second.join();
    assert(data[0] + data[1] == 3);
    Tagged last = object.exchange(Tagged{});
    assert(last.tag == 2 && object.load().tag == 0);
#ifndef SMALL
    assert(*last.pointer == 1);
#endif
    return 0;
}
