// Futures, promises, tasks and asynchronous calls, as libstdc++ compiles them.
//
// check: rc11 rf verified
// check: -DEXCEPTIONS rc11 rf verified
#include <cassert>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

static int seen;

#ifdef EXCEPTIONS
static void rethrown_in_another_thread() {
    std::promise<void> promise;
    std::shared_future<void> first = promise.get_future().share(), second = first;
    std::thread thread([&] {
        try {
            throw std::runtime_error("lost");
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    for (auto *future : {&first, &second}) {
        try {
            future->get();
            assert(false);
        } catch (const std::runtime_error &error) {
            assert(error.what() == std::string("lost"));
        }
    }
    thread.join();
}

static void thrown_by_a_call() {
    auto future = std::async(std::launch::async, []() -> int { throw 7; });
    try {
        future.get();
        assert(false);
    } catch (int error) {
        assert(error == 7);
    }
}

static void misused() {
    std::future<int> future;
    {
        std::promise<int> promise;
        future = promise.get_future();
        try {
            promise.get_future();
            assert(false);
        } catch (const std::future_error &error) {
            assert(error.code() == std::future_errc::future_already_retrieved);
        }
    }
    try {
        future.get();
        assert(false);
    } catch (const std::logic_error &error) {
        assert(static_cast<const std::future_error &>(error).code() == std::future_errc::broken_promise);
        assert(error.what() == std::string("std::future_error: Broken promise"));
    }
}
#endif

int main() {
#ifdef EXCEPTIONS
    rethrown_in_another_thread();
    thrown_by_a_call();
    misused();
#else
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread sets([&] { seen = 1, promise.set_value(42); });
    assert(future.get() == 42);
    assert(seen == 1);
    sets.join();

    std::packaged_task<int(int)> task([](int n) { return 2 * n; });
    std::future<int> doubled = task.get_future();
    std::thread runs(std::move(task), 21);
    doubled.wait();
    assert(doubled.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
    assert(doubled.get() == 42);
    runs.join();

    auto now = std::async(std::launch::async, [](int n) { return n + 1; }, 41);
    auto later = std::async(std::launch::deferred, [] { return std::string("later"); });
    assert(now.get() == 42);
    assert(later.get() == "later");
#endif
}
