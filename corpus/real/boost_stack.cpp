// boost::lockfree::stack of a fixed capacity: two threads push and pop.
// package: libboost1.74-dev
// check: | race
// check: --no-race-detection | verified, 1288 executions
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

int main() {
    boost::lockfree::stack<int, boost::lockfree::capacity<2>> stack;
    int popped[2] = {0, 0};
    auto work = [&](int number) {
        assert(stack.push(number + 1));
        assert(stack.pop(popped[number]));
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    assert(popped[0] + popped[1] == 3);
}
