// <latch> as the standard says [thread.latch].
//
// The counter is the object. Arriving is one read-modify-write; waiting is one read that blocks until it reads zero. If
// all threads arrive and wait, the order in which they come may be left open.

#if !__has_include(<bits/c++config.h>)
#include_next <latch>
#elif !defined(_GLIBCXX_LATCH)
#define _GLIBCXX_LATCH 1
#pragma GCC system_header
#if __cplusplus > 201703L
#include <bits/atomic_base.h>
#include <ext/numeric_traits.h>
#include <atropos/primitives.h>

#define __cpp_lib_latch 201907L

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

class latch {
public:
    static constexpr ptrdiff_t max() noexcept { return __PTRDIFF_MAX__; }

    ATROPOS_INLINE constexpr explicit latch(ptrdiff_t __expected) noexcept : _M_count(__expected) {
        if (__expected < 0)
            __atropos_misuse("std::latch::latch", "latch", "invalid-count");
    }
    ~latch() = default;
    latch(const latch &) = delete;
    latch &operator=(const latch &) = delete;

    ATROPOS_INLINE void count_down(ptrdiff_t __update = 1) {
        if (__update < 0)
            __atropos_misuse("std::latch::count_down", "latch", "invalid-number");
        if (__atropos_latch_count_down(&_M_count, __update) < __update)
            __atropos_misuse("std::latch::count_down", "latch", "counter-too-small");
    }

    ATROPOS_INLINE bool try_wait() const noexcept { return __atropos_latch_try_wait(&_M_count); }

    ATROPOS_INLINE void wait() const noexcept { __atropos_latch_wait(&_M_count); }

    ATROPOS_INLINE void arrive_and_wait(ptrdiff_t __update = 1) {
        if (__update > 0) {
            __atropos_latch_meet(&_M_count, __update);
        } else {
            count_down(__update);
            wait();
        }
    }

private:
    ptrdiff_t _M_count;
};

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
#endif
