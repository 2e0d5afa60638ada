#include <atomic>
#include <thread>
#include <cassert>
int main(){ std::atomic<int> f{0}; int x=0; std::thread t([&]{ x=1; f.store(1,std::memory_order_release); f.notify_one(); }); f.wait(0,std::memory_order_acquire); assert(x==1); t.join(); return 0; }
