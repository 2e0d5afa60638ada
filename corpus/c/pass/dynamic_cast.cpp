// check: rc11 rf verified
// check: -O2 rc11 rf verified
// check: -DBAD rc11 rf violation uncaught-exception
//
// dynamic_cast: down, across, to and from virtual bases, and where it must fail.
#include <cassert>
#include <thread>
#include <typeinfo>

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
struct Plain {
    virtual ~Plain() {}
    int plain = 5;
};
struct One : Plain {};
struct Two : Plain {};
struct Both : One, Two {};
struct Secret : private Plain, public Root {};

int main() {
    Bottom bottom;
    std::thread thread([&] {
        Root *root = &bottom;
        assert(dynamic_cast<Bottom *>(root) == &bottom);
        assert(dynamic_cast<Right *>(root)->right == 3);
        assert(dynamic_cast<Plain *>(root) == nullptr);
    });
    Left *left = &bottom;
    assert(dynamic_cast<Right *>(left) == static_cast<Right *>(&bottom));
    assert(dynamic_cast<Bottom *>(left)->bottom == 4);
    Left alone;
    left = &alone;
    assert(dynamic_cast<Right *>(left) == nullptr && dynamic_cast<Bottom *>(left) == nullptr);
    Both both;
    One *one = &both;
    Plain *plain = one;
    assert(dynamic_cast<Both *>(plain) == &both);
    assert(dynamic_cast<Two *>(plain) == static_cast<Two *>(&both));
    Secret secret;
    Root *root = &secret;
    assert(dynamic_cast<Plain *>(root) == nullptr);
    bool caught = false;
    try {
        (void)dynamic_cast<Bottom &>(*root);
    } catch (std::bad_cast &) {
        caught = true;
    }
    assert(caught);
    thread.join();
#ifdef BAD
    (void)dynamic_cast<Bottom &>(*root);
#endif
    return 0;
}
