#include <thread>
#include <atomic>
#include <mutex>
#include <cassert>
#include <memory>
#include <vector>
std::mutex m,n;int x;
int main(){  std::thread t1([&]{ std::scoped_lock g(m,n);x++; }); std::thread t2([&]{ std::scoped_lock g(n,m);x++; }); t1.join(); t2.join(); assert(x==2); return 0; }
