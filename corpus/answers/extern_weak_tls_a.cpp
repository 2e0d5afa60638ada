#include <cassert>
extern thread_local int *tls;
int main() { assert(tls == nullptr); }
