// check: rc11 rf verified
// check: tso rf verified
// flags: -std=c++20
//
// Two threads lock the same two mutexes in different orders with std::scoped_lock.
#include <thread>
#include <atomic>
#include <mutex>
#include <cassert>
#include <memory>
#include <vector>
std::mutex m,n;int x;
int main(){  std::thread t1([&]{ std::scoped_lock g(m,n);x++; }); std::thread t2([&]{ std::scoped_lock g(n,m);x++; }); t1.join(); t2.join(); assert(x==2); return 0; }
