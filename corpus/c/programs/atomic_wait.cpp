// A one-shot event by std::atomic::wait and notify_all. By the standard no notification after the store is lost, whatever
// the order of the store; what libstdc++ does is in corpus/c/fail/lost_notification_as_written.cpp.
//
// BUG=1: the event is set without notifying.
// BUG=2: the flag is set before the data is written.
// RELEASE: the flag is set by a release store, which suffices.
//
// check: rc11 rf verified
// check: tso rf verified
// check: -DBUG=1 sc rf violation deadlock
// check: -DBUG=2 sc rf violation assertion 34
// check: -DRELEASE rc11 rf verified
// check: -DRELEASE tso rf verified
// flags: -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

#ifdef RELEASE
static constexpr auto order = std::memory_order_release;
#else
static constexpr auto order = std::memory_order_seq_cst;
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
        state.store(1, order);
    if (BUG != 1)
        state.notify_all();
    thread.join();
}
