// Threads, locks, condition variables, call_once, smart pointers, containers and virtual calls of C++.
//
// check: sc rf verified
#include <thread>
#include <atomic>
#include <mutex>
#include <condition_variable>
#include <vector>
#include <memory>
#include <cassert>
#include <iostream>
std::atomic<int> x{0}; std::mutex m; std::condition_variable cv; bool ready = false; int shared = 0;
struct Base { virtual ~Base() {} virtual int f() = 0; };
struct D : Base { int v; D(int v) : v(v) {} int f() override { return v; } };
std::once_flag flag; int inits;
int& counter() { static int c = 3; return c; }
int main() {
  std::thread a([] { x.store(1, std::memory_order_release); { std::lock_guard<std::mutex> g(m); shared++; ready = true; } cv.notify_one(); });
  std::thread b([](int k) { std::unique_lock<std::mutex> l(m); cv.wait(l, [] { return ready; }); shared += k; std::call_once(flag, [] { inits++; }); }, 2);
  a.join(); b.join();
  assert(shared == 3); assert(x == 1); assert(counter() == 3); assert(inits == 1);
  std::unique_ptr<Base> p = std::make_unique<D>(7); assert(p->f() == 7);
  std::vector<int> v; for (int i = 0; i < 5; i++) v.push_back(i); assert(v[4] == 4 && v.size() == 5);
  std::cout << "done " << v.size() << std::endl;
}
