// oneTBB's locks: two threads add to a plain counter.
// package: libtbb-dev
// check: -- -DLOCK=tbb::spin_mutex | verified, 12 executions
// check: -- -DLOCK=tbb::queuing_mutex | verified, 114 executions
// check: -- -DLOCK=tbb::spin_rw_mutex | verified, 28 executions
#include <tbb/queuing_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#include <cassert>
#include <thread>

int main() {
    static LOCK lock;
    static int counter;
    auto add = [] {
        LOCK::scoped_lock held(lock);
        counter++;
    };
    std::thread first(add), second(add);
    first.join();
    second.join();
    assert(counter == 2);
}
