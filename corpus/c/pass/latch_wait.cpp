// check: rc11 rf verified
// check: tso rf verified
// flags: -std=c++20
//
// A thread that waits for a latch sees what was written before it was counted down.
#include <latch>
#include <thread>
#include <cassert>
int main(){ std::latch l(1); int x=0; std::thread t([&]{ x=1; l.count_down(); }); l.wait(); assert(x==1); t.join(); return 0; }
