// check: rc11 rf verified
// check: rc11 co verified
// check: -O2 rc11 rf verified
// check: tso rf verified
// check: pso rf verified
// check: sc co verified
// check: -DTOO_FEW rc11 rf violation deadlock
// check: -DTOO_MANY rc11 rf violation lock-misuse
// check: -DSTALE rc11 rf violation lock-misuse
// check: -DNOWAIT rc11 rf violation race
// flags: -std=c++20
//
// std::barrier: two phases with a completion function that sees what every thread did, tokens, and a thread that drops
// out.
#include <barrier>
#include <cassert>
#include <thread>

static int data[2], sum, phases;

struct Completion {
    void operator()() noexcept {
        sum = data[0] + data[1];
        phases++;
    }
};
static std::barrier<Completion> barrier(2);

static void leaves() {
    data[0] = 1;
#ifdef TOO_FEW
    (void)barrier.arrive();
#else
    barrier.arrive_and_drop();
#endif
#ifdef TOO_MANY
    (void)barrier.arrive(2);
#endif
}
static void stays() {
    data[1] = 2;
    auto token = barrier.arrive();
#ifdef NOWAIT
    data[0] = 7;
#endif
#ifdef STALE
    auto copy = barrier.arrive();
    barrier.wait(barrier.arrive());
    barrier.wait(std::move(token));
    (void)copy;
#else
    barrier.wait(std::move(token));
#endif
    assert(sum == 3 && phases == 1);
    data[1] = 3;
    barrier.arrive_and_wait();
    assert(sum == 4 && phases == 2);
}
int main() {
    std::thread first(leaves), second(stays);
    first.join();
    second.join();
    return 0;
}
