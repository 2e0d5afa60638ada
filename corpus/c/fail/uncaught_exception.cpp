// check: rc11 rf violation uncaught-exception 14
// check: sc co violation uncaught-exception 14
//
// The handler is for another type, and in another thread.
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> x{0};

static void worker() {
    try {
        if (x.load() == 1)
            throw std::logic_error("seen");
    } catch (const std::runtime_error &) {
    }
}

int main() {
    try {
        std::thread t(worker);
        x.store(1);
        t.join();
    } catch (...) {
    }
    return 0;
}
