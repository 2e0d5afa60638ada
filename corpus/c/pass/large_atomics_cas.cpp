// check: rc11 rf executions 4
// check: rc11 co executions 4
// check: -O2 rc11 rf executions 4
// check: tso rf executions 4
// check: sc co executions 4
// check: -DABA rc11 rf violation assertion
// check: -DWEAK rc11 rf violation race
// check: -DODD rc11 rf executions 4
// check: -DSMALL rc11 rf executions 4
// check: -DSMALL rc11 co executions 4
// check: -DSMALL tso rf executions 4
// check: -DSMALL sc co executions 4
// flags: -std=c++20
//
// Compare-and-swap on large objects, on the stack of main: counters that no update is lost of.
#include <atomic>
#include <cassert>
#include <thread>

struct Large {
    long a;
    int b;
    char c[12];
};
struct Odd {
    char a, b, c;
};
struct Small {
    int a;
};
#if defined SMALL
using Object = Small;
#elif defined ODD
using Object = Odd;
#else
using Object = Large;
#endif
#ifdef WEAK
static constexpr auto order = std::memory_order_relaxed;
#else
static constexpr auto order = std::memory_order_acq_rel;
#endif

int main() {
    std::atomic<Object> object{Object{}};
    int plain[2] = {0, 0};
    auto count = [&](int nth) {
        plain[nth] = 1;
        Object old = object.load(std::memory_order_relaxed), next;
        do {
            next = old;
            next.a++;
        } while (!object.compare_exchange_strong(old, next, order, std::memory_order_relaxed));
        if (next.a == 2)
            plain[1 - nth]++;
    };
    std::thread first(count, 0), second(count, 1);
    first.join();
    second.join();
    assert(plain[0] + plain[1] == 3);
#ifdef ABA
    assert(object.load().a == 1);
#else
    assert(object.load().a == 2);
#endif
    return 0;
}
