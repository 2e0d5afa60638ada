// max0x7ba's AtomicQueue: two producers, and a consumer that takes what it can.
// package: libatomic-queue-dev
// check: | verified, 18 executions
#include <atomic_queue/atomic_queue.h>
#include <cassert>
#include <thread>

int main() {
    atomic_queue::AtomicQueue<unsigned, 2> queue;
    std::thread first([&] { assert(queue.try_push(1)); });
    std::thread second([&] { assert(queue.try_push(2)); });
    unsigned item, sum = 0;
    if (queue.try_pop(item))
        sum += item;
    first.join();
    second.join();
    while (queue.try_pop(item))
        sum += item;
    assert(sum == 3);
}
