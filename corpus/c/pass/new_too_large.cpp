// check: rc11 rf verified
// check: sc co verified
#include <cassert>
#include <new>
#include <string>
#include <vector>

struct alignas(128) Wide { char c[128]; };

int main() {
    volatile std::size_t huge = (std::size_t)-8;
    int n_caught = 0;
    try { ::operator delete(::operator new(huge)); } catch (const std::bad_alloc &) { n_caught++; }
    try { delete[] new char[huge]; } catch (const std::exception &) { n_caught++; }
    try { delete[] new Wide[huge / 128]; } catch (...) { n_caught++; }
    try { std::vector<char> v; v.reserve(huge); } catch (const std::exception &) { n_caught++; }
    assert(n_caught == 4);
    assert(!::operator new(huge, std::nothrow));
    assert(!::operator new(huge, std::align_val_t(64), std::nothrow));
    delete new (std::nothrow) Wide;
}
