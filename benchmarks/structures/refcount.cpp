// A pointer that shares its object with others and counts them, as std::shared_ptr does: the last owner deletes.
//
// BUG=1: the count is decremented relaxed: the last owner deletes what others have just used, unordered.
// BUG=2: the owner first looks whether it is the last one and only then decrements: no owner or two may delete.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 rc11 rf violation use-after-free 33
// check: -DBUG=2 sc rf violation assertion 78
#include <atomic>
#include <cassert>
#include <thread>
#include <utility>

#ifndef BUG
#define BUG 0
#endif

template <typename T> class shared {
    struct block {
        std::atomic<int> owners{1};
        T value;
        explicit block(T value) : value(std::move(value)) {}
    };
    block *held = nullptr;

    void drop() {
        if (held == nullptr)
            return;
#if BUG == 1
        if (held->owners.fetch_sub(1, std::memory_order_relaxed) == 1)
            delete held;
#elif BUG == 2
        if (held->owners.load(std::memory_order_acquire) == 1)
            delete held;
        else
            held->owners.fetch_sub(1, std::memory_order_release);
#else
        if (held->owners.fetch_sub(1, std::memory_order_release) == 1) {
            std::atomic_thread_fence(std::memory_order_acquire);
            delete held;
        }
#endif
        held = nullptr;
    }

  public:
    explicit shared(T value) : held(new block(std::move(value))) {}
    shared(const shared &other) : held(other.held) { held->owners.fetch_add(1, std::memory_order_relaxed); }
    shared(shared &&other) noexcept : held(std::exchange(other.held, nullptr)) {}
    shared &operator=(const shared &) = delete;
    ~shared() { drop(); }
    const T &operator*() const { return held->value; }
};

static std::atomic<int> deleted;

struct message {
    int text = 42;
    bool original = true;
    message() = default;
    message(message &&other) noexcept : text(other.text) { other.original = false; }
    ~message() {
        if (original)
            deleted.fetch_add(1, std::memory_order_relaxed);
    }
};

int main() {
    {
        shared<message> mine{message{}};
        std::thread first([theirs = mine] { assert((*theirs).text == 42); });
        std::thread second([theirs = std::move(mine)] { assert((*theirs).text == 42); });
        first.join();
        second.join();
    }
    assert(deleted == 1);
}
