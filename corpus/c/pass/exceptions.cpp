// check: rc11 rf executions 1
// check: sc co verified
//
// Exceptions: the first handler that fits takes them, and destructors run on the way to it.
#include <cassert>
#include <stdexcept>
#include <string>

static int alive = 0;
struct Guard {
    Guard() { alive++; }
    ~Guard() { alive--; }
};

struct Left {
    virtual ~Left() {}
    int left = 1;
};
struct Right {
    virtual ~Right() {}
    int right = 2;
};
struct Both : Left, Right {
    int both = 3;
};
static Both one;

static int thrower(int what) {
    Guard guard;
    switch (what) {
    case 0: throw 5;
    case 1: throw Both();
    case 2: throw "text";
    case 3: throw std::runtime_error("broken");
    case 4: throw &one;
    case 5: return std::string("short").at(17);
    }
    return 7;
}

static int catcher(int what) {
    Guard guard;
    try {
        Guard inner;
        return thrower(what);
    } catch (int number) {
        return number;
    } catch (const Right &part) {
        assert(part.right == 2);
        return 20;
    } catch (const std::logic_error &error) {
        return 25;
    } catch (const std::exception &error) {
        assert(std::string(error.what()) == "broken");
        return 30;
    } catch (Right *part) {
        assert(part == &one && part->right == 2);
        return 40;
    }
}

static int again() {
    try {
        try {
            throw 1L;
        } catch (...) {
            Guard guard;
            throw;
        }
    } catch (long number) {
        return (int)number;
    }
}

int main() {
    assert(catcher(0) == 5);
    assert(catcher(1) == 20);
    assert(catcher(3) == 30);
    assert(catcher(4) == 40);
    assert(catcher(5) == 25);
    assert(catcher(9) == 7);
    try {
        catcher(2);
        assert(false);
    } catch (const char *text) {
        assert(text[0] == 't');
    }
    assert(again() == 1);
    assert(alive == 0);
    return 0;
}
