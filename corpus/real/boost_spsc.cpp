// boost::lockfree::spsc_queue: what comes out went in, in that order.
// package: libboost1.74-dev
// check: | verified, 16 executions
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

int main() {
    boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
    std::thread producer([&] {
        assert(queue.push(1));
        assert(queue.push(2));
    });
    int last = 0, item;
    for (int i = 0; i < 3; i++)
        if (queue.pop(item))
            assert(item == ++last);
    producer.join();
}
