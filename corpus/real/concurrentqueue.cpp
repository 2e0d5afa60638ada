// moodycamel::ConcurrentQueue: one thread enqueues, another dequeues.
// package: libconcurrentqueue-dev
// check: | verified, 3 executions
#include <concurrentqueue/concurrentqueue.h>
#include <cassert>
#include <thread>

int main() {
    moodycamel::ConcurrentQueue<int> queue(2, 0, 1);
    std::thread producer([&] { queue.enqueue(1); });
    int item = 0;
    bool got = queue.try_dequeue(item);
    assert(!got || item == 1);
    producer.join();
    assert(got || (queue.try_dequeue(item) && item == 1));
}
