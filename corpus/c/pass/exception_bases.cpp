// check: rc11 rf verified
// check: -O2 rc11 rf verified
// check: -DAMBIGUOUS rc11 rf violation uncaught-exception
// check: -DPRIVATE rc11 rf violation uncaught-exception
//
// Handlers for bases of an exception: virtual ones, several ways to the same one, and pointers to them. A base that is
// ambiguous or not public is not caught.
#include <cassert>
#include <stdexcept>
#include <thread>

struct Root {
    virtual ~Root() {}
    int root = 1;
};
struct Left : virtual Root {
    int left = 2;
};
struct Right : virtual Root {
    int right = 3;
};
struct Bottom : Left, Right {
    int bottom = 4;
};
struct Nested : Bottom, std::runtime_error {
    Nested() : std::runtime_error("nested") {}
};
struct First : std::logic_error {
    First() : std::logic_error("first") {}
};
struct Second : std::logic_error {
    Second() : std::logic_error("second") {}
};
struct Twice : First, Second {};
class Hidden : Root {};

static int caught_by_root() {
    try {
        throw Bottom();
    } catch (Root &caught) {
        return caught.root;
    }
}
static int caught_by_right() {
    try {
        throw Nested();
    } catch (const Right &caught) {
        return caught.right + caught.root;
    }
}
static int caught_by_pointer() {
    static Bottom object;
    try {
        throw &object;
    } catch (Root *caught) {
        return caught == static_cast<Root *>(&object) ? caught->root : 0;
    }
}
static int caught_null() {
    try {
        throw static_cast<Bottom *>(nullptr);
    } catch (Root *caught) {
        return caught == nullptr;
    }
}
static int caught_by_value() {
    try {
        try {
            throw Nested();
        } catch (std::exception &) {
            throw;
        }
    } catch (Root caught) {
        return caught.root;
    }
}
int main() {
    int results[5];
    std::thread thread([&] { results[0] = caught_by_root(); });
    results[1] = caught_by_right();
    results[2] = caught_by_pointer();
    results[3] = caught_null();
    results[4] = caught_by_value();
    thread.join();
    assert(results[0] == 1 && results[1] == 4 && results[2] == 1 && results[3] == 1 && results[4] == 1);
#ifdef AMBIGUOUS
    try {
        throw Twice();
    } catch (std::logic_error &) {
    }
#endif
#ifdef PRIVATE
    try {
        throw Hidden();
    } catch (Root &) {
    }
#endif
    return 0;
}
