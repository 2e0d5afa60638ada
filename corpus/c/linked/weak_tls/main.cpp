// check: rc11 rf verified
// thread_local defined in another file with constant initialisation: clang refers to an extern_weak `_ZTH...` that no file defines (= null)
#include <cassert>
extern thread_local int *tls;
int main() { assert(tls == nullptr); }
