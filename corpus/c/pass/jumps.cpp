// A jump leaves a try block without entering its handlers.
//
// check: rc11 rf verified
#include <cassert>
#include <csetjmp>
#include <stdexcept>

static std::jmp_buf place;

static void jump_out(int n) {
    try {
        if (n == 1) throw std::runtime_error("caught");
        std::longjmp(place, n);
    } catch (...) {
        assert(n == 1);
    }
}

int main() {
    volatile int n = 0;
    if (int code = setjmp(place)) {
        assert(code == 2);
        n = 10;
    } else {
        jump_out(1);
        n = 5;
        jump_out(2);
    }
    assert(n == 10);
    try {
        throw 1;
    } catch (int) {
        n = 11;
    }
    assert(n == 11);
}
