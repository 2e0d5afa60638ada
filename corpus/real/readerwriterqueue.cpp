// moodycamel::ReaderWriterQueue: what comes out went in, in that order.
// package: libreaderwriterqueue-dev
// check: | verified, 10 executions
#include <readerwriterqueue.h>
#include <cassert>
#include <thread>

int main() {
    moodycamel::ReaderWriterQueue<int> queue(2);
    std::thread producer([&] {
        queue.enqueue(1);
        queue.enqueue(2);
    });
    int last = 0, item;
    for (int i = 0; i < 3; i++)
        if (queue.try_dequeue(item))
            assert(item == ++last);
    producer.join();
}
