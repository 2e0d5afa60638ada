#include <thread>
#include <atomic>
#include <mutex>
#include <cassert>
#include <memory>
#include <vector>
#include <latch>
std::latch l(2);int x,y;
int main(){  std::thread t1([&]{ x=1;l.arrive_and_wait();assert(y==1); }); std::thread t2([&]{ y=1;l.arrive_and_wait();assert(x==1); }); t1.join(); t2.join();  return 0; }
