// A table of routes that is replaced as a whole: readers take a std::shared_ptr to the current version under a mutex
// and use it without; the last owner deletes it.
//
// BUG=1: the pointer is copied without the mutex.
// BUG=2: the new version is made by changing the old one in place.
// BUG=3: two writers copy, change and replace without keeping the mutex all the while: one change is lost.
// BUG=4: the reader loops over what a temporary pointer leads to; it is gone before the loop begins.
//
// check: rc11 rf verified
// check: -DBUG=1 sc rf violation use-after-free
// check: -DBUG=2 sc rf violation use-after-free
// check: -DBUG=3 sc rf violation assertion 74
// check: -DBUG=4 sc rf violation use-after-free
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#ifndef BUG
#define BUG 0
#endif

using Routes = std::vector<int>;

class Router {
  public:
    std::shared_ptr<const Routes> current() const {
        if (BUG == 1)
            return routes_;
        std::lock_guard<std::mutex> lock(mutex_);
        return routes_;
    }

    void add(int route) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (BUG == 2) {
            routes_->push_back(route);
            return;
        }
        if (BUG == 3)
            lock.unlock();
        auto next = std::make_shared<Routes>(BUG == 3 ? *current() : *routes_);
        next->push_back(route);
        if (BUG == 3)
            lock.lock();
        routes_ = next;
    }

  private:
    mutable std::mutex mutex_;
    std::shared_ptr<Routes> routes_ = std::make_shared<Routes>();
};

int main() {
    Router router;
    std::thread first([&] { router.add(1); });
    std::thread second([&] { router.add(2); });
    std::thread reader([&] {
        int sum = 0;
#if BUG == 4
        for (int route : *router.current())
            sum += route;
#else
        auto routes = router.current();
        for (int route : *routes)
            sum += route;
#endif
        assert(sum <= 3);
    });
    first.join();
    second.join();
    reader.join();
    assert(router.current()->size() == 2);
}
