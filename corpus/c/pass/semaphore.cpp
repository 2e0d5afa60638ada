// check: rc11 rf verified
// check: rc11 co verified
// check: -O2 rc11 rf verified
// check: tso rf verified
// check: sc co verified
// check: -DNO_RELEASE rc11 rf violation deadlock
// check: -DOVER rc11 rf violation lock-misuse
// check: -DUNPROTECTED rc11 rf violation race
// check: -DTIMED rc11 rf violation assertion
// flags: -std=c++20
//
// std::counting_semaphore and std::binary_semaphore as locks and as signals; waiting with a limit may fail.
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

static std::binary_semaphore lock(1);
static std::counting_semaphore<2> items(0);
static int shared, item;

static void producer() {
    item = 5;
#ifndef NO_RELEASE
    items.release();
#endif
    lock.acquire();
    shared++;
    lock.release();
#ifdef OVER
    lock.release();
#endif
}
static void consumer() {
    items.acquire();
    assert(item == 5);
#ifndef UNPROTECTED
    lock.acquire();
#endif
    shared++;
    lock.release();
}
int main() {
    std::thread first(producer), second(consumer);
    bool taken = lock.try_acquire_for(std::chrono::seconds(1));
#ifdef TIMED
    assert(taken);
#endif
    if (taken)
        lock.release();
    first.join();
    second.join();
    assert(shared == 2 && !items.try_acquire());
    return 0;
}
