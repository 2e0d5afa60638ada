// What is written after a promise is kept may be seen half done; and a thread waits forever for a promise that is never kept.
//
// check: rc11 rf violation race 16
// check: -DFORGOTTEN rc11 rf violation deadlock 19
#include <future>
#include <thread>

static int data;

int main() {
    std::promise<void> promise;
    std::future<void> future = promise.get_future();
#ifndef FORGOTTEN
    std::thread thread([&] {
        promise.set_value();
        data = 1;
    });
#endif
    future.wait();
#ifndef FORGOTTEN
    int copy = data;
    thread.join();
    return copy;
#endif
}
