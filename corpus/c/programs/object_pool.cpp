// A pool of objects handed out as std::unique_ptr with a deleter that gives them back.
//
// BUG=1: giving back does not take the mutex.
// BUG=2: the object is given back and used once more.
// BUG=3: the pool ends before all objects are back.
//
// check: rc11 rf verified
// check: -DBUG=1 rc11 rf violation race
// check: -DBUG=2 sc rf violation assertion 68
// check: -DBUG=3 sc rf violation use-after-free
#include <cassert>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#ifndef BUG
#define BUG 0
#endif

struct Buffer {
    int owner = 0;
};

class Pool {
  public:
    struct Return {
        Pool *pool;
        void operator()(Buffer *buffer) const { pool->give_back(buffer); }
    };
    using Handle = std::unique_ptr<Buffer, Return>;

    explicit Pool(int n) {
        for (int i = 0; i < n; i++)
            free_.push_back(std::make_unique<Buffer>());
    }

    Handle take() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (free_.empty())
            return Handle(nullptr, Return{this});
        Buffer *buffer = free_.back().release();
        free_.pop_back();
        return Handle(buffer, Return{this});
    }

  private:
    void give_back(Buffer *buffer) {
        std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
        if (BUG != 1)
            lock.lock();
        free_.emplace_back(buffer);
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<Buffer>> free_;
};

int main() {
    std::optional<Pool> pool(1);
    auto client = [&](int me) {
        if (auto buffer = pool->take()) {
            buffer->owner = me;
            Buffer *again = buffer.get();
            if (BUG == 2)
                buffer.reset();
            assert(again->owner == me);
        }
    };
    std::thread first(client, 1), second(client, 2);
    if (BUG == 3)
        pool.reset();
    first.join();
    second.join();
}
