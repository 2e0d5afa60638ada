// check: rc11 rf verified
// flags: -std=c++20
//
// C++20: threads that join by themselves, waiting on atomics, atomic references, and atomics of small structs.
#include <atomic>
#include <cassert>
#include <thread>

struct Pair {
    int a, b;
};
static std::atomic<Pair> pair{Pair{1, 2}};
static std::atomic<int> flag{0};
static std::atomic<double> number{1.0};
static int plain = 0;

int main() {
    {
        std::jthread thread([] {
            std::atomic_ref<int>(plain).fetch_add(1);
            Pair seen = pair.load();
            pair.compare_exchange_strong(seen, Pair{seen.a + 2, seen.b + 2});
            flag.store(1);
            flag.notify_one();
        });
        flag.wait(0);
        assert(flag == 1 && pair.load().a == 3);
    }
    number.fetch_add(1.5);
    assert(plain == 1 && number == 2.5);
    return 0;
}
