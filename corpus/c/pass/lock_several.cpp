// check: rc11 rf verified
// check: rc11 co verified
// check: -O2 rc11 rf verified
// check: -std=c++11 rc11 rf verified
// check: tso rf verified
// check: sc co verified
// check: -DREVERSED rc11 rf verified
// check: -DHELD rc11 rf violation deadlock
// check: -DHELD sc co violation deadlock
// check: -DTWICE rc11 rf violation lock-misuse
// check: -DFORGOTTEN rc11 rf violation race
// flags: -std=c++20
//
// std::lock and std::scoped_lock: threads that lock the same mutexes in any order get them, also beside one that
// locks them one by one; a mutex that is never unlocked is a deadlock.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m, n;
static std::recursive_mutex r;
static int x;

static void forwards() {
    std::lock(m, n, r);
#ifdef FORGOTTEN
    m.unlock();
    n.unlock();
    r.unlock();
#endif
    x++;
#ifndef FORGOTTEN
    r.unlock();
    n.unlock();
    m.unlock();
#endif
}
static void backwards() {
#if defined REVERSED
    std::lock_guard<std::mutex> second(n), first(m);
#elif __cplusplus >= 201703L
    std::scoped_lock guard(n, m);
#else
    std::unique_lock<std::mutex> first(m, std::defer_lock), second(n, std::defer_lock);
    std::lock(second, first);
#endif
    x++;
}
int main() {
    std::thread first(forwards), second(backwards);
#ifdef HELD
    n.lock();
#endif
#ifdef TWICE
    std::lock(m, m);
#endif
    first.join();
    second.join();
    assert(x == 2);
    return 0;
}
