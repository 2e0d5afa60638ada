// An operation under a mutex that may throw: the guard gives the mutex back whichever way it is left.
//
// BUG=1: the mutex is locked and unlocked by hand, and stays locked when the operation throws.
// BUG=2: the exception is not caught.
//
// check: rc11 rf verified
// check: -DBUG=1 sc rf violation deadlock
// check: -DBUG=2 sc rf violation uncaught-exception 23
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

static std::mutex mutex;
static int stock = 1, refused;

static void take_one() {
    if (stock == 0)
        throw std::runtime_error("nothing left");
    --stock;
}

static void order() {
#if BUG == 1
    mutex.lock();
    take_one();
    mutex.unlock();
#else
    std::lock_guard<std::mutex> guard(mutex);
    take_one();
#endif
}

static void customer() {
#if BUG == 2
    order();
#else
    try {
        order();
    } catch (const std::runtime_error &) {
        std::lock_guard<std::mutex> guard(mutex);
        ++refused;
    }
#endif
}

int main() {
    std::thread first(customer), second(customer);
    first.join();
    second.join();
    assert(stock == 0 && refused == 1);
}
