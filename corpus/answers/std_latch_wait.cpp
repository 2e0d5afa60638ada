#include <latch>
#include <thread>
#include <cassert>
int main(){ std::latch l(1); int x=0; std::thread t([&]{ x=1; l.count_down(); }); l.wait(); assert(x==1); t.join(); return 0; }
