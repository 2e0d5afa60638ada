// check: rc11 rf verified
// options: --malloc-may-fail
// operator new throws when there is no memory, or returns a null pointer when it is asked to.
#include <cassert>
#include <new>
#include <vector>

int main() {
    int *one = new (std::nothrow) int(1);
    if (!one) return 0;
    try {
        int *two = new int[2];
        std::vector<int> three(3);
        try {
            three.push_back(4);
            assert(three.size() == 4);
        } catch (const std::exception &) {
            assert(three.size() == 3);
        }
        struct alignas(64) wide { char c; };
        delete new wide;
        delete[] two;
    } catch (std::bad_alloc &) {
    }
    delete one;
}
