// A one-shot event by std::atomic::wait and notify_all. The library wakes nobody where it finds that nobody waits, and
// looks with a load; the store before it must be sequentially consistent, so that the hardware keeps them in order.
// RC11 does not promise that much: there the waiting side would have to be sequentially consistent as well.
//
// BUG=1: the event is set without notifying.
// BUG=2: the flag is set before the data is written.
// BUG=3: the flag is set by a release store, which may come after the look whether anybody waits.
//
// check: rc11 rf violation deadlock
// check: tso rf verified
// check: -DBUG=1 sc rf violation deadlock
// check: -DBUG=2 sc rf violation assertion 28
// check: -DBUG=3 tso rf violation deadlock
// flags: -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

static std::atomic<int> state{0};
static int data;

static void consumer() {
    state.wait(0, std::memory_order_acquire);
    assert(data == 42);
}

int main() {
    std::thread thread(consumer);
    if (BUG == 2)
        state.store(1);
    data = 42;
    if (BUG != 2)
        state.store(1, BUG == 3 ? std::memory_order_release : std::memory_order_seq_cst);
    if (BUG != 1)
        state.notify_all();
    thread.join();
}
