// check: rc11 rf executions 1
//
// std::uncaught_exceptions counts what was thrown and has not come to a handler: a destructor can tell whether its
// block is left by an exception, as condition variables and scope guards of libraries do.
#include <cassert>
#include <exception>

static int seen = -1;

struct Scope {
    int before = std::uncaught_exceptions();
    ~Scope() { seen = std::uncaught_exceptions() - before; }
};

struct Nested {
    ~Nested() {
        assert(std::uncaught_exceptions() == 1);
        try {
            Scope scope;
            throw 2;
        } catch (int) {
            assert(seen == 1 && std::uncaught_exceptions() == 1);
        }
    }
};

int main() {
    {
        Scope scope;
    }
    assert(seen == 0);
    try {
        Nested nested;
        throw 1;
    } catch (int) {
        assert(std::uncaught_exceptions() == 0);
        try {
            Scope scope;
            throw;
        } catch (int) {
            assert(seen == 1 && std::uncaught_exceptions() == 0);
        }
    }
    assert(std::uncaught_exceptions() == 0);
}
