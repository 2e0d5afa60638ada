// xenium's sequence lock and left-right: one thread writes both members of a pair, another reads them.
// package: libxenium-dev
// flags: -std=c++17
// check: -- -DSLOTS=1 | verified, 11 executions
// check: -- -DSLOTS=2 | verified, 6 executions
// check: | verified, 4 executions
// changed: $libxenium-dev/usr/include/xenium/seqlock.hpp | std::atomic_thread_fence(std::memory_order_release); | | -- -DSLOTS=1 | assertion
#include <cassert>
#include <thread>
#include <xenium/left_right.hpp>
#include <xenium/seqlock.hpp>

struct pair {
    long first, second;
};

#ifdef SLOTS
static xenium::seqlock<pair, xenium::policy::slots<SLOTS>> shared{pair{0, 0}};
static void write() { shared.store(pair{1, 1}); }
static pair read() { return shared.load(); }
#else
static xenium::left_right<pair> shared{pair{0, 0}};
static void write() {
    shared.update([](pair &both) { both = pair{1, 1}; });
}
static pair read() {
    return shared.read([](const pair &both) { return both; });
}
#endif

int main() {
    std::thread writer(write);
    pair both = read();
    assert(both.first == both.second);
    writer.join();
}
