// moodycamel::BlockingReaderWriterCircularBuffer: a consumer waits for two items.
// package: libreaderwriterqueue-dev
// check: --unroll 3 | verified up to a bound, 125 executions
#include <readerwritercircularbuffer.h>
#include <cassert>
#include <thread>

int main() {
    moodycamel::BlockingReaderWriterCircularBuffer<int> queue(1);
    std::thread producer([&] {
        queue.wait_enqueue(1);
        queue.wait_enqueue(2);
    });
    int item;
    for (int i = 1; i <= 2; i++) {
        queue.wait_dequeue(item);
        assert(item == i);
    }
    producer.join();
}
