// libstdc++ 12's counting_semaphore: two threads acquire what a third one releases twice.
// package: libstdc++-12-dev
// flags: -nostdinc++ -isystem $libstdc++-12-dev/usr/include/c++/12 -isystem $libstdc++-12-dev/usr/include/x86_64-linux-gnu/c++/12
// check: --library as-written --model sc -- -std=c++20 | deadlock
// check: --library as-written -- -std=c++20 | deadlock
// changed: $libstdc++-12-dev/usr/include/c++/12/bits/semaphore_base.h | std::__atomic_wait_address_bare(&_M_counter, __pred); | while (!__pred()) std::__detail::__platform_wait(&_M_counter, 0); | --library as-written -- -std=c++20 | verified, 1094 executions
#include <semaphore>
#include <thread>

int main() {
    static std::counting_semaphore<4> semaphore(0);
    auto acquire = [] { semaphore.acquire(); };
    std::thread first(acquire), second(acquire);
    semaphore.release();
    semaphore.release();
    first.join();
    second.join();
}
