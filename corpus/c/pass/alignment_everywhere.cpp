// check: rc11 rf verified
// flags: -std=c++17
// Objects of every kind are aligned as declared: static, thread-local, automatic, of variable size, on the heap, passed
// and returned by value, in other objects, in frames of functions that call each other, in several threads.
#include <cassert>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <pthread.h>
#include <vector>

template <std::size_t A> struct alignas(A) Box { char c; };
template <std::size_t A> bool fits(const Box<A> *p) { return reinterpret_cast<std::uintptr_t>(p) % A == 0; }
struct Outer { char first; Box<256> inner; char last; };

char before = 1;
Box<128> global;
Outer outer;
thread_local char local_before = 1;
thread_local Box<512> local;
thread_local Box<8192> local_page;

template <std::size_t A> Box<A> pass(Box<A> given) { assert(fits(&given)); return given; }
template <std::size_t A> void escape(Box<A> *volatile *where, Box<A> *p) { *where = p; }

template <std::size_t A> void automatic(int depth) {
    char c = 1;
    Box<A> box{c}, more[3] = {};
    Box<A> *volatile shared;
    Box<A> seen{};
    escape(&shared, &seen);
    assert(fits(&box) && fits(&more[1]) && fits(shared));
    Box<A> back = pass(box);
    assert(fits(&back));
    if (depth > 0) automatic<A>(depth - 1);
}

template <std::size_t A> void heap() {
    auto *one = new Box<A>;
    auto *many = new Box<A>[3];
    assert(fits(one) && fits(&many[2]));
    delete one;
    delete[] many;
    std::vector<Box<A>> vector(5);
    assert(fits(&vector[4]));
    auto shared = std::make_unique<Box<A>>();
    assert(fits(shared.get()));
    void *p = nullptr;
    assert(posix_memalign(&p, A, 10) == 0 && reinterpret_cast<std::uintptr_t>(p) % A == 0);
    std::free(p);
    p = std::aligned_alloc(A, A);
    assert(reinterpret_cast<std::uintptr_t>(p) % A == 0);
    std::free(p);
}

int variable(int n, ...) {
    va_list list;
    va_start(list, n);
    int sum = va_arg(list, int);
    sum += va_arg(list, Box<32>).c;
    va_end(list);
    return sum;
}

void *thread(void *) {
    assert(fits(&local) && fits(&local_page));
    automatic<1024>(1);
    heap<64>();
    return nullptr;
}

int main() {
    assert(fits(&global) && fits(&outer.inner) && fits(&local) && fits(&local_page));
    automatic<32>(1);
    automatic<4096>(2);
    heap<16>();
    heap<4096>();
    for (int n = 1; n < 3; n++) {
        Box<128> array[n];
        assert(fits(&array[0]));
    }
    assert(variable(2, 1, Box<32>{3}) == 4);
    void *p = std::malloc(1);
    assert(reinterpret_cast<std::uintptr_t>(p) % alignof(std::max_align_t) == 0);
    std::free(p);
    pthread_t t;
    pthread_create(&t, nullptr, thread, nullptr);
    pthread_join(t, nullptr);
}
