// An optional without a value that is both stored and passed on, which optimisers do with one number.
// flags: -std=c++17
// check: rc11 rf verified
// check: -O1 rc11 rf verified
// check: -O2 rc11 rf verified
// check: -Os -fno-strict-aliasing rc11 rf verified
// check: -O1 -DUSED rc11 rf violation uninitialised
#include <optional>
#include <cassert>
#include <thread>
#include <atomic>
static std::atomic<int> count;
static std::optional<int> take() {
    if (count.load(std::memory_order_acquire) == 0) return {};
    return 5;
}
static std::optional<int> last;
__attribute__((noinline)) static bool look(std::optional<int> o) { return o && *o == 5; }
__attribute__((noinline)) static bool keep() {
    auto o = take();
    last = o;
    return look(o);
}
struct holder { std::optional<int> v; };
__attribute__((noinline)) static bool keep2(holder *h, std::optional<int> o) {
    h->v = o;
    return look(o);
}
__attribute__((noinline)) static std::optional<int> keep3(holder *h) {
    auto o = take();
    h->v = o;
    return o;
}
int main() {
    std::thread t([]{ count.store(1, std::memory_order_release); });
    bool b = keep();
    assert(b || !last);
    holder h;
    keep2(&h, take());
    holder h2;
    auto x = keep3(&h2);
    if (x) assert(*x == 5);
    if (h2.v) assert(*x == 5);
#ifdef USED
    assert(*h2.v == 5);
#endif
    t.join();
}
