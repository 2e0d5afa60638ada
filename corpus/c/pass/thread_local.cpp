// check: rc11 rf verified
// check: sc co verified
//
// Thread-local objects are made when a thread first uses them and destroyed when it ends, before global ones.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n_made{0}, n_gone{0};
struct Local {
    int value;
    Local() : value(5) { n_made++; }
    ~Local() { n_gone++; }
};
static thread_local Local local;

struct Global {
    int value;
    Global() : value(3) {}
    ~Global() { assert(n_made == 2 && n_gone == 2); }
};
static Global global;

int main() {
    assert(global.value == 3);
    std::thread t([] { assert(++local.value == 6); });
    t.join();
    assert(n_made == 1 && n_gone == 1);
    assert(local.value == 5);
    return 0;
}
