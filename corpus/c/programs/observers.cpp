// A subject that knows its observers by std::weak_ptr: an expired one is skipped, and one that is called is kept alive
// until it returns.
//
// BUG=1: ordinary pointers.
// BUG=2: the pointer is tested for being expired, and locked later without looking whether that went well.
//
// check: rc11 rf verified
// check: -DBUG=1 sc rf violation use-after-free 22
// check: -DBUG=2 sc rf violation invalid-access 22
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#ifndef BUG
#define BUG 0
#endif

struct Observer {
    int notified = 0;
    void notify() { ++notified; }
};

class Subject {
  public:
    void add(const std::shared_ptr<Observer> &observer) {
#if BUG == 1
        observers_.push_back(observer.get());
#else
        observers_.push_back(observer);
#endif
    }

    void notify() {
        for (auto &observer : observers_) {
#if BUG == 1
            observer->notify();
#elif BUG == 2
            if (!observer.expired())
                observer.lock()->notify();
#else
            if (auto alive = observer.lock())
                alive->notify();
#endif
        }
    }

  private:
#if BUG == 1
    std::vector<Observer *> observers_;
#else
    std::vector<std::weak_ptr<Observer>> observers_;
#endif
};

int main() {
    Subject subject;
    auto observer = std::make_shared<Observer>();
    subject.add(observer);
    std::thread thread([&] { subject.notify(); });
    observer.reset();
    thread.join();
}
