// A coroutine that goes on in another thread, and whose caller waits for its result.
//
// BUG=1: the flag that the caller waits for does not publish the result.
// BUG=2: the promise is an aggregate, so C++20 makes it of the coroutine's parameters: the flag starts with one of them.
//
// check: rc11 rf verified
// check: -O2 rc11 rf verified
// check: -DBUG=1 rc11 rf violation assertion 72
// check: -DBUG=2 sc rf violation assertion 72
// flags: -std=c++20
#include <atomic>
#include <cassert>
#include <coroutine>
#include <exception>
#include <thread>
#include <utility>

#ifndef BUG
#define BUG 0
#endif

struct task {
    struct promise_type {
#if BUG != 2
        promise_type() = default;
#endif
        int value = 0;
        std::atomic<bool> ready{false};

        task get_return_object() { return task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept {
            ready.store(true, BUG == 1 ? std::memory_order_relaxed : std::memory_order_release);
            ready.notify_one();
            return {};
        }
        void return_value(int result) { value = result; }
        void unhandled_exception() { std::terminate(); }
    };

    std::coroutine_handle<promise_type> handle;

    explicit task(std::coroutine_handle<promise_type> handle) : handle(handle) {}
    task(task &&other) : handle(std::exchange(other.handle, nullptr)) {}
    ~task() {
        if (handle)
            handle.destroy();
    }
    int get() {
        handle.promise().ready.wait(false, std::memory_order_acquire);
        return handle.promise().value;
    }
};

static std::thread worker;

struct in_worker {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
        worker = std::thread([handle] { handle.resume(); });
    }
    void await_resume() noexcept {}
};

static task product(int left, int right) {
    co_await in_worker{};
    co_return left * right;
}

int main() {
    auto result = product(6, 7);
    assert(result.get() == 42);
    worker.join();
}
