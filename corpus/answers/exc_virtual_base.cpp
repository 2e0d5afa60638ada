#include <thread>
#include <atomic>
#include <mutex>
#include <cassert>
#include <memory>
#include <vector>
struct B{virtual ~B(){}int b=1;};struct C:virtual B{};struct D:C{};int main(){int k=0;try{throw D();}catch(B&x){k=x.b;}assert(k==1);return 0;}