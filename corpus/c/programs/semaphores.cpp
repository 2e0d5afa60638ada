// A slot handed back and forth between two threads by two std::binary_semaphores.
//
// BUG=1: both semaphores start at one: the consumer need not wait, and a release goes past the greatest count.
// BUG=2: the producer waits for the semaphore that it releases itself.
//
// check: rc11 rf verified
// check: -DBUG=1 sc rf violation lock-misuse 26
// check: -DBUG=2 sc rf violation deadlock
// flags: -std=c++20
#include <cassert>
#include <semaphore>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

static std::binary_semaphore is_empty{1}, is_full{BUG == 1 ? 1 : 0};
static int slot, sum;

int main() {
    std::thread producer([] {
        for (int i = 1; i <= 2; i++) {
            (BUG == 2 ? is_full : is_empty).acquire();
            slot = i;
            is_full.release();
        }
    });
    std::thread consumer([] {
        for (int i = 1; i <= 2; i++) {
            is_full.acquire();
            sum += slot;
            is_empty.release();
        }
    });
    producer.join();
    consumer.join();
    assert(sum == 3);
}
