// A worker that runs until it is asked to stop: std::jthread asks and joins when it goes out of scope, and a condition
// variable that knows of the request wakes the worker.
//
// BUG=1: the worker waits on an ordinary condition variable and checks the request by itself: nothing wakes it.
// BUG=2: what is still to be done when the request comes is dropped.
//
// check: rc11 rf verified
// check: -DBUG=1 sc rf violation deadlock
// check: -DBUG=2 sc rf violation assertion 49
// flags: -std=c++20
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

int main() {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::deque<int> tasks;
    int done = 0;
    {
        std::jthread worker([&](std::stop_token stop) {
            for (;;) {
                std::unique_lock lock(mutex);
#if BUG == 1
                changed.wait(lock, [&] { return !tasks.empty() || stop.stop_requested(); });
                bool has_task = !tasks.empty();
#else
                bool has_task = changed.wait(lock, stop, [&] { return !tasks.empty(); });
#endif
                if (!has_task || (BUG == 2 && stop.stop_requested()))
                    return;
                done += tasks.front();
                tasks.pop_front();
            }
        });
        {
            std::lock_guard lock(mutex);
            tasks.push_back(7);
        }
        changed.notify_one();
    }
    assert(done == 7);
}
