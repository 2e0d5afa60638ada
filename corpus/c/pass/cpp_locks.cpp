// check: rc11 rf verified
//
// Locks, conditions and one-time calls of the C++ library.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex plain;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::condition_variable changed;
static std::once_flag once;
static bool ready = false;
static int n_calls = 0, x = 0;

static void worker() {
    std::call_once(once, [] { n_calls++; });
    {
        std::unique_lock<std::mutex> lock(plain);
        changed.wait(lock, [] { return ready; });
        x++;
    }
    {
        std::lock_guard<std::recursive_mutex> outer(recursive);
        std::lock_guard<std::recursive_mutex> inner(recursive);
    }
    std::shared_lock<std::shared_mutex> reading(shared);
    assert(x == 1);
}

int main() {
    std::thread t(worker);
    std::call_once(once, [] { n_calls++; });
    {
        std::lock_guard<std::mutex> lock(plain);
        ready = true;
    }
    changed.notify_all();
    t.join();
    assert(x == 1 && n_calls == 1);
    if (timed.try_lock_for(std::chrono::milliseconds(1)))
        timed.unlock();
    std::mutex other;
    {
        std::scoped_lock both(plain, other);
    }
    std::unique_lock<std::shared_mutex> writing(shared);
    std::unique_lock<std::mutex> lock(plain);
    changed.wait_for(lock, std::chrono::seconds(1));
    changed.wait_until(lock, std::chrono::steady_clock::now());
    return 0;
}
