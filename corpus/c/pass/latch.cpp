// check: rc11 rf verified
// check: rc11 co verified
// check: -O2 rc11 rf verified
// check: tso rf verified
// check: sc co verified
// check: -DTOO_FEW rc11 rf violation deadlock
// check: -DTOO_FEW sc co violation deadlock
// check: -DTOO_MANY rc11 rf violation lock-misuse 37
// check: -DUNORDERED rc11 rf violation race
// flags: -std=c++20
//
// std::latch: what happens before counting down happens before the end of waiting; counting below zero is misuse, and
// counting too little leaves threads waiting.
#include <cassert>
#include <latch>
#include <thread>

static std::latch ready(3), go(1);
static int data[2], result;

static void work(int nth) {
    data[nth] = nth + 1;
#ifdef UNORDERED
    ready.count_down();
    data[0] += 1;
#else
    ready.count_down();
#endif
    go.wait();
    assert(result == 3);
}
static void extra() {
#ifndef TOO_FEW
    ready.count_down();
#endif
#ifdef TOO_MANY
    ready.count_down(2);
#endif
}
int main() {
    std::thread first(work, 0), second(work, 1), third(extra);
    ready.wait();
    assert(ready.try_wait());
    result = data[0] + data[1];
    go.arrive_and_wait();
    first.join();
    second.join();
    third.join();
    return 0;
}
