// boost::lockfree::queue of a fixed capacity: two threads push and pop.
// package: libboost1.74-dev
// check: | race
// check: --no-race-detection | assertion
// check: --model sc --mixed-sizes merge | verified, 6912 executions
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>

int main() {
    boost::lockfree::queue<int, boost::lockfree::capacity<2>> queue;
    int popped[2] = {0, 0};
    auto work = [&](int number) {
        assert(queue.push(number + 1));
        assert(queue.pop(popped[number]));
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    assert(popped[0] + popped[1] == 3);
}
