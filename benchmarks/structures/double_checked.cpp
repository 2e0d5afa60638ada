// A singleton made on first use: a look without the lock, and a second one under it.
//
// BUG=1: the pointer is published and first read relaxed, so that the object's contents need not be seen.
// BUG=2: the pointer is an ordinary one.
// BUG=3: there is no second look under the lock, and two objects are made.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation race 63
// check: -DBUG=1 tso rf verified
// check: -DBUG=2 rc11 rf violation race 42
// check: -DBUG=3 sc rf violation assertion 78
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

static std::atomic<int> made;

class settings {
#if BUG == 2
    static settings *instance;
#else
    static std::atomic<settings *> instance;
#endif
    static std::mutex making;
    int limit = 10;

    settings() { made.fetch_add(1, std::memory_order_relaxed); }

  public:
    static settings &get() {
#if BUG == 2
        if (instance == nullptr) {
            std::lock_guard<std::mutex> guard(making);
            if (instance == nullptr)
                instance = new settings;
        }
        return *instance;
#else
        const auto read = BUG == 1 ? std::memory_order_relaxed : std::memory_order_acquire;
        const auto publish = BUG == 1 ? std::memory_order_relaxed : std::memory_order_release;
        settings *seen = instance.load(read);
        if (seen == nullptr) {
            std::lock_guard<std::mutex> guard(making);
#if BUG != 3
            seen = instance.load(std::memory_order_relaxed);
#endif
            if (seen == nullptr) {
                seen = new settings;
                instance.store(seen, publish);
            }
        }
        return *seen;
#endif
    }
    static void destroy() { delete static_cast<settings *>(instance); }
    int value() const { return limit; }
};

#if BUG == 2
settings *settings::instance;
#else
std::atomic<settings *> settings::instance;
#endif
std::mutex settings::making;

int main() {
    auto use = [] { assert(settings::get().value() == 10); };
    std::thread first(use), second(use);
    first.join();
    second.join();
    assert(made == 1);
    settings::destroy();
}
