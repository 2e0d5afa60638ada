// check: rc11 rf verified
// flags: -std=c++17
// Constructors, assignments and algorithms that copy members which were never written.
#include <algorithm>
#include <cassert>
#include <array>
#include <utility>
#include <optional>
struct A { int x, y; A() : x(1) {} A(const A &o) : x(o.x), y(o.y) {} A &operator=(const A &o) { x=o.x; y=o.y; return *this; } };
int main(){ A a; A b(a); A c; c = b; std::swap(b,c); assert(c.x==1);
 std::array<int,4> p; p[1]=3; auto q=p; assert(q[1]==3); std::array<int,4> r; std::copy(p.begin(),p.end(),r.begin()); assert(r[1]==3); for (int i=0;i<4;i++) r[i]=p[i]; assert(r[1]==3);
 std::optional<int> o; auto o2=o; o=o2; assert(!o); }
